/** The template language at the head of `spec/outcomes.yaml`, read as far as checking a template needs it. */
export interface Mark {
  readonly kind: 'value' | 'list' | 'if' | 'unless' | 'each' | 'end';
  readonly name: string;
}

const kinds: Record<string, Mark['kind']> = { '?': 'if', '!': 'unless', '#': 'each', '/': 'end' };

/** The marks of a template, in order. Throws with one sentence where it is not well-formed. */
export function marksOf(template: string): Mark[] {
  const marks: Mark[] = [];
  const rest = template.replaceAll(
    /\{([?!#/]?)([a-zA-Z]+)(,?)\}/g,
    (mark, sign: string, name: string, comma: string) => {
      if (sign !== '' && comma !== '') throw new Error(`${mark} is not a mark`);
      marks.push({ kind: kinds[sign] ?? (comma === '' ? 'value' : 'list'), name });
      return '';
    },
  );
  if (/[{}]/.test(rest)) throw new Error('a brace that is not part of a mark');
  checkNesting(marks);
  return marks;
}

function checkNesting(marks: readonly Mark[]): void {
  const open: string[] = [];
  for (const mark of marks) {
    if (mark.kind === 'if' || mark.kind === 'unless' || mark.kind === 'each') open.push(mark.name);
    if (mark.kind === 'end' && open.pop() !== mark.name) throw new Error(`{/${mark.name}} closes nothing`);
  }
  if (open.length > 0) throw new Error(`{/${open.at(-1)}} is missing`);
}

/** Names that are used outside an `{#…}` section, each with whether a plain use of it stands under its own `{?…}`. */
export function usesOf(template: string): { name: string; guarded: boolean }[] {
  const uses: { name: string; guarded: boolean }[] = [];
  const open: Mark[] = [];
  for (const mark of marksOf(template)) {
    if (mark.kind === 'end') open.pop();
    else if (!open.some((outer) => outer.kind === 'each')) {
      const section = mark.kind === 'if' || mark.kind === 'unless';
      uses.push({ name: mark.name, guarded: section || open.some((o) => o.kind === 'if' && o.name === mark.name) });
    }
    if (mark.kind === 'if' || mark.kind === 'unless' || mark.kind === 'each') open.push(mark);
  }
  return uses;
}
