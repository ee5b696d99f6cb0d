import { type JsonObject, readYaml } from './sources.ts';
import { SpecError } from './spec-error.ts';
import type { OperationRow, ProblemRow } from './table.ts';

const file = 'components.yaml';

/** The closed enum of problem codes, each with its status and title. */
export function readProblems(specFolder: string): Record<string, ProblemRow> {
  const components = readYaml(specFolder, `openapi/${file}`).components as
    | { schemas?: { ProblemCode?: JsonObject } }
    | undefined;
  const schema = components?.schemas?.ProblemCode;
  if (!schema) throw new SpecError(file, 'components.schemas', 'add ProblemCode, the enum of all problem codes');
  const codes = schema.enum as string[];
  const table = (schema['x-turnwire-problems'] ?? {}) as unknown as Record<string, ProblemRow>;
  const stranger = Object.keys(table).find((code) => !codes.includes(code));
  if (stranger) throw new SpecError(file, 'ProblemCode.x-turnwire-problems', `\`${stranger}\` is not in the enum`);
  return Object.fromEntries(
    codes.map((code) => {
      const row = table[code];
      if (!row) throw new SpecError(file, 'ProblemCode.x-turnwire-problems', `give \`${code}\` a status and a title`);
      return [code, { status: row.status, title: row.title }];
    }),
  );
}

/** Every code that an operation lists is in the enum and stands at its own status. */
export function checkProblemStatuses(
  operations: Record<string, OperationRow>,
  problems: Record<string, ProblemRow>,
): void {
  for (const row of Object.values(operations)) {
    const document = `${row.documents[0]}.yaml`;
    const place = `${row.method} ${row.path}`;
    for (const [status, { codes = [] }] of Object.entries(row.responses)) {
      const wrong = codes.find((code) => problems[code]?.status !== Number(status));
      if (wrong) {
        const right = problems[wrong];
        const remedy = right ? `comes with ${right.status}` : 'is not a ProblemCode';
        throw new SpecError(document, `${place} ${status}`, `\`${wrong}\` ${remedy}`);
      }
    }
    for (const [seat, { answers }] of Object.entries(row.seats)) {
      const stranger = answers.flatMap((rule) => rule.codes ?? []).find((code) => !problems[code]);
      if (stranger) {
        throw new SpecError(document, `${place} x-turnwire-retry ${seat}`, `\`${stranger}\` is not a ProblemCode`);
      }
    }
  }
}
