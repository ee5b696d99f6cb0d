import { statusRange } from './operations.ts';
import { readYaml } from './sources.ts';
import { SpecError } from './spec-error.ts';
import type { OutcomeRow } from './table.ts';
import { usesOf } from './template.ts';
import { wordingFault } from './wording.ts';

const file = 'outcomes.yaml';

interface TextSource {
  text: string;
  values: string[];
  optional?: string[];
}

type OutcomeSource = TextSource &
  Omit<OutcomeRow, 'answers'> & { requirement: string; answers?: { status: number | string; codes?: string[] }[] };

/** Every mark names a declared value, every declared value is used, an optional one only where it is known to be there. */
function checkTemplate(at: string, source: TextSource): void {
  const optional = new Set(source.optional ?? []);
  const declared = [...source.values, ...optional];
  const uses = usesIn(at, source.text);
  for (const { name, guarded } of uses) {
    if (!declared.includes(name))
      throw new SpecError(file, `${at}.text`, `declare {${name}} in \`values\` or \`optional\``);
    if (optional.has(name) && !guarded) {
      throw new SpecError(file, `${at}.text`, `put {${name}} under {?${name}}: it may not be there`);
    }
  }
  const unused = declared.find((name) => !uses.some((use) => use.name === name));
  if (unused) throw new SpecError(file, at, `take out \`${unused}\`: the text does not use it`);
}

function usesIn(at: string, text: string): ReturnType<typeof usesOf> {
  try {
    return usesOf(text);
  } catch (error) {
    throw new SpecError(file, `${at}.text`, `mend the template: ${(error as Error).message}`);
  }
}

function outcomeRow({ kind, text, invites, answers, ofEveryCopy }: OutcomeSource): OutcomeRow {
  const ranges = answers?.map((match) => ({ ...match, status: statusRange(match.status) }));
  return { kind, text, invites, ...(ranges && { answers: ranges }), ...(ofEveryCopy && { ofEveryCopy }) };
}

/** A code that is misspelt would match nothing. */
function checkAnswers(code: string, { answers = [] }: OutcomeSource, problemCodes: ReadonlySet<string>): void {
  const stranger = answers.flatMap(({ codes = [] }) => codes).find((each) => !problemCodes.has(each));
  if (stranger)
    throw new SpecError(file, `outcomes.${code}.answers`, `\`${stranger}\` is not a ProblemCode of components.yaml`);
}

export interface Texts {
  outcomes: Record<string, OutcomeRow>;
  texts: Record<string, string>;
}

/** `outcomes.yaml`, checked: templates, values, and what a text must not say. */
export function readTexts(specFolder: string, problemCodes: ReadonlySet<string>): Texts {
  const source = readYaml(specFolder, file) as unknown as {
    outcomes: Record<string, OutcomeSource>;
    texts: Record<string, TextSource>;
  };
  const outcomes: Record<string, OutcomeRow> = {};
  for (const [code, row] of Object.entries(source.outcomes)) {
    checkTemplate(`outcomes.${code}`, row);
    checkAnswers(code, row, problemCodes);
    const fault = wordingFault(code, row);
    if (fault) throw new SpecError(file, `outcomes.${code}.text`, fault);
    outcomes[code] = outcomeRow(row);
  }
  const texts: Record<string, string> = {};
  for (const [name, row] of Object.entries(source.texts)) {
    checkTemplate(`texts.${name}`, row);
    texts[name] = row.text;
  }
  return { outcomes, texts };
}
