import { isDeepStrictEqual } from 'node:util';
import { type ExtensionSchemas, extension } from './extensions.ts';
import type { Document, DocumentName } from './sources.ts';
import { SpecError } from './spec-error.ts';
import type { NativeRule, Protocol } from './table.ts';

const file = 'protocol-root.yaml';

/** The languages of which the spec knows the errors. */
type Languages = 'node' | 'python' | 'go';

export type Root = Omit<Protocol, 'operations' | 'problemCodes' | 'native'> & {
  readonly native: Readonly<Record<Languages, readonly NativeRule[]>>;
};

/** The root extension, the same in every document, valid and consistent in itself. */
export function readRoot(
  documents: ReadonlyMap<DocumentName, Document>,
  schemas: ExtensionSchemas,
  problemCodes: ReadonlySet<string>,
): Root {
  const [first] = documents.values();
  for (const [name, document] of documents) {
    extension(document, 'x-turnwire', schemas.root, { document: `${name}.yaml`, path: '(root)' });
    if (!isDeepStrictEqual(document['x-turnwire'], first?.['x-turnwire'])) {
      throw new SpecError(`${name}.yaml`, '(root) x-turnwire', `refer to ${file}#/x-turnwire, as the others do`);
    }
  }
  const root = first?.['x-turnwire'] as unknown as Root;
  checkEvidence(root);
  checkFlags(root);
  checkCodes(root, problemCodes);
  return root;
}

function checkEvidence(root: Root): void {
  const known = (name: string, path: string) => {
    if (!(name in root.evidence)) throw new SpecError(file, path, `\`${name}\` is not an evidence name`);
  };
  known(root.afterAbort, 'afterAbort');
  known(root.unexplained, 'unexplained');
  for (const [language, rules] of Object.entries(root.native)) {
    for (const [index, rule] of rules.entries()) {
      const at = `native.${language}[${index}]`;
      known(rule.evidence, `${at}.evidence`);
      if (language === 'node' && rule.within)
        throw new SpecError(file, `${at}.within`, "take it out: Node's errors name their system call");
    }
  }
}

/** A flag of proof for what is proved, and for nothing else (TW-CER-015). */
function checkFlags({ evidence, custodian }: Root): void {
  for (const [name, row] of Object.entries(evidence)) {
    const flag = custodian.flags[name];
    if (!flag) throw new SpecError(file, 'custodian.flags', `give \`${name}\` a flag`);
    if (custodian.provingFlags.includes(flag) !== (row.certainty === 'never_delivered')) {
      throw new SpecError(
        file,
        `custodian.flags.${name}`,
        `${flag} is ${row.certainty === 'unknown' ? '' : 'not '}a flag of proof`,
      );
    }
  }
}

function checkCodes(root: Root, problemCodes: ReadonlySet<string>): void {
  for (const [index, rule] of root.answers.entries()) {
    const stranger = rule.codes?.find((code) => !problemCodes.has(code));
    if (stranger)
      throw new SpecError(file, `answers[${index}].codes`, `\`${stranger}\` is not a ProblemCode of components.yaml`);
  }
}
