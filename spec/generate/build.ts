import { join } from 'node:path';
import { documentJson, documentTypes, protocolModule, tableModule } from './emit.ts';
import { loadExtensionSchemas } from './extensions.ts';
import { checkFaultEnums, readFaults } from './faults.ts';
import { operationTable } from './operations.ts';
import { checkProblemStatuses, readProblems } from './problems.ts';
import { readRoot } from './root.ts';
import { type Document, type DocumentName, documentNames, readDocument } from './sources.ts';
import { readTexts } from './texts.ts';

/** Every generated file, by its path from the top of the repository. Nothing is written. Throws a SpecError. */
export async function build(repository: string): Promise<Map<string, string>> {
  const specFolder = join(repository, 'spec');
  const schemas = loadExtensionSchemas(specFolder);
  const documents = new Map<DocumentName, Document>();
  for (const name of documentNames) documents.set(name, await readDocument(specFolder, name));

  const problemCodes = readProblems(specFolder);
  const codes = new Set(Object.keys(problemCodes));
  const root = readRoot(documents, schemas, codes);
  const operations = operationTable(documents, schemas);
  checkProblemStatuses(operations, problemCodes);
  const tables = {
    root,
    operations,
    problemCodes,
    texts: readTexts(specFolder, codes),
    faults: readFaults(specFolder, codes),
  };

  checkFaultEnums(tables.faults, documents);

  const files = new Map<string, string>([
    ['sdk/typescript/src/gen/table.ts', tableModule(specFolder)],
    ['sdk/typescript/src/gen/protocol.ts', protocolModule(tables)],
  ]);
  for (const [name, document] of documents) {
    files.set(`spec/gen/${name}.json`, documentJson(name, document));
    files.set(
      `sdk/typescript/src/gen/${name}.ts`,
      await documentTypes(name, join(specFolder, 'openapi', `${name}.yaml`)),
    );
  }
  return files;
}
