/** Go source as `gofmt` leaves it: the values of neighbouring `key: value` lines stand in one column. */

/** The value of a composite literal: its text, on one line or on several. */
export interface GoValue {
  readonly text: string;
}

/** A string constant; what JSON escapes, Go does too. */
export const goString = (value: string): string => JSON.stringify(value);

export const goStrings = (values: readonly string[]): string => `[]string{${values.map(goString).join(', ')}}`;

/** Fields on one line, those without a value left out. */
export function goRow(type: string, fields: readonly (readonly [string, string | undefined])[]): string {
  const given = fields.filter(([, value]) => value !== undefined);
  return `${type}{${given.map(([name, value]) => `${name}: ${value}`).join(', ')}}`;
}

/** Entries one a line: a map's, or a struct's. A value of several lines ends the column before and after it. */
export function goEntries(type: string, entries: readonly (readonly [string, string])[], indent: string): string {
  const inner = `${indent}\t`;
  const lines: string[] = [];
  let block: (readonly [string, string])[] = [];
  const flush = () => {
    const width = Math.max(0, ...block.map(([key]) => key.length));
    for (const [key, value] of block) lines.push(`${inner}${key}:${' '.repeat(width - key.length + 1)}${value},`);
    block = [];
  };
  for (const [key, value] of entries) {
    if (value.includes('\n')) {
      flush();
      lines.push(`${inner}${key}: ${value},`);
    } else block.push([key, value]);
  }
  flush();
  return `${type}{\n${lines.join('\n')}\n${indent}}`;
}

/** Items one a line. */
export function goList(type: string, items: readonly string[], indent: string): string {
  return `${type}{\n${items.map((item) => `${indent}\t${item},\n`).join('')}${indent}}`;
}

/** A comment of whole sentences, broken at its own line ends alone. */
export function goComment(text: string, indent = ''): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `${indent}// ${line}`.trimEnd())
    .join('\n');
}
