/** One check on the page: its verdict, what was asked, what came, and how it went over the wire. */
import type { CheckResult } from './check.ts';
import { words } from './lines.ts';
import { escaped, sequence } from './sequence.ts';

/** Messages of a drawing that a page shows unasked. */
const mostDrawn = 40;

export type Requirements = ReadonlyMap<string, string>;

export function entry(check: CheckResult, mode: string, spec: Requirements): string {
  const { id, verdict, says, level, ms, requirements } = check;
  const open = isWrong(check) ? ' open' : '';
  const key = escaped(`${id} ${requirements.join(' ')} ${says}`.toLowerCase());
  const cited = check.did === undefined ? undefined : check.requirement;
  return `<details class="check ${verdict}" data-verdict="${verdict}" data-key="${key}" id="${escaped(id)}"${open}>
<summary><span class="mark">${words[verdict]}</span> <code>${escaped(id)}</code> <span class="says">${prose(says)}</span><span class="ms">${level} · ${duration(ms)}</span></summary>
${verdictOf(check, spec)}
${asked(
  requirements.filter((one) => one !== cited),
  spec,
)}
${transcript(check, mode)}
</details>`;
}

const isWrong = ({ verdict }: CheckResult): boolean => verdict === 'failed' || verdict === 'kit_error';

const duration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

/** As the spec writes it: what stands between backticks is code. */
const prose = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

function verdictOf({ verdict, did, should, requirement = '', sentence }: CheckResult, spec: Requirements): string {
  if (verdict === 'passed') return '';
  if (did === undefined || should === undefined) return `<p class="sentence">${escaped(sentence ?? '')}</p>`;
  const rows = [
    ['It did', escaped(`it ${did}`)],
    ['It should', escaped(should)],
    ['Because', `<code>${escaped(requirement)}</code> ${prose(spec.get(requirement) ?? '')}`],
  ];
  return `<table class="verdict">${rows.map(([head, text]) => `<tr><th scope="row">${head}</th><td>${text}</td></tr>`).join('')}</table>`;
}

/** The requirements that it is about, in the words of the spec. */
function asked(ids: readonly string[], spec: Requirements): string {
  if (ids.length === 0) return '';
  return `<dl>${ids.map((one) => `<dt>${one}</dt><dd>${prose(spec.get(one) ?? '')}</dd>`).join('')}</dl>`;
}

function transcript(check: CheckResult, mode: string): string {
  const { wire = [], trace = [] } = check;
  return `${drawing(wire, mode)}${lines(trace, isWrong(check) && wire.length === 0)}`;
}

function drawing(wire: NonNullable<CheckResult['wire']>, mode: string): string {
  if (wire.length === 0) return '';
  const figure = `<figure tabindex="0" aria-label="The messages of this check">${sequence(wire, mode)}</figure>`;
  return wire.length <= mostDrawn
    ? figure
    : `<details class="wire"><summary>The sequence of ${wire.length} messages</summary>${figure}</details>`;
}

function lines(trace: readonly string[], isOpen: boolean): string {
  if (trace.length === 0) return '';
  const text = escaped(trace.join('\n'));
  return `<details class="wire"${isOpen ? ' open' : ''}><summary>The wire, line by line</summary><pre tabindex="0">${text}</pre></details>`;
}
