import { join } from 'node:path';
import { documentJson, documentTypes, protocolModule, type Tables, tableModule, textsJson } from './emit.ts';
import { loadExtensionSchemas } from './extensions.ts';
import { checkFaultEnums, readFaults } from './faults.ts';
import { goProtocol, goTable } from './go.ts';
import { goTypes } from './go-types.ts';
import { operationTable } from './operations.ts';
import { checkProblemStatuses, readProblems } from './problems.ts';
import { pythonPackage, pythonProtocol, pythonTable } from './python.ts';
import { pythonTypes } from './python-types.ts';
import { readRoot } from './root.ts';
import { readSchemas } from './schemas.ts';
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
    ...pythonFiles(specFolder, tables),
    ...goFiles(specFolder, tables),
    ['contract-tests/examples/minimal-harness/gen/outcomes.json', textsJson(tables.texts)],
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

function pythonFiles(specFolder: string, tables: Tables): [string, string][] {
  const folder = 'sdk/python/src/turnwire/gen';
  return [
    [`${folder}/__init__.py`, pythonPackage()],
    [`${folder}/table.py`, pythonTable(specFolder)],
    [`${folder}/protocol.py`, pythonProtocol(tables)],
    [`${folder}/types.py`, pythonTypes(readSchemas(specFolder))],
  ];
}

function goFiles(specFolder: string, tables: Tables): [string, string][] {
  const folder = 'sdk/go/gen';
  return [
    [`${folder}/table.go`, goTable(specFolder)],
    [`${folder}/protocol.go`, goProtocol(tables)],
    [`${folder}/types.go`, goTypes(readSchemas(specFolder))],
  ];
}
