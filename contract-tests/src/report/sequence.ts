/** The wire of one check as a drawing: parties side by side, time going down. */
import type { Party, WireEvent } from './wire.ts';

const order: readonly Party[] = ['kit', 'harness', 'subject', 'peer', 'orchestrator', 'model'];
const names: Readonly<Record<Party, string>> = {
  kit: 'the kit',
  subject: 'your subject',
  harness: 'the kit as Harness',
  orchestrator: 'the kit as Orchestrator',
  model: 'the kit as model',
  peer: 'the kit as peer',
};

const lane = 236;
/** Room for the times, and for half of a name beside the first and the last lane. */
const times = 62;
const side = 84;
const top = 44;
const rowHeight = 26;
/** Characters of a label that fit between two lanes; a remark may go on to the edge. */
const mostLabel = 31;

/** An inline SVG; its colours are those of the page. `mode` names the subject. */
export function sequence(all: readonly WireEvent[], mode = 'subject'): string {
  const used = new Set(all.flatMap(({ from, to }) => [from, to]));
  const parties = order.filter((party) => used.has(party));
  const x = (party: Party) => times + side + parties.indexOf(party) * lane;
  const height = top + all.length * rowHeight + 4;
  const width = times + 2 * side + (parties.length - 1) * lane;
  const lanes = parties.map(
    (party) =>
      `<text class="party" x="${x(party)}" y="18" text-anchor="middle">${party === 'subject' ? `your ${mode}` : names[party]}</text>` +
      `<line class="lane" x1="${x(party)}" y1="28" x2="${x(party)}" y2="${height - 8}"/>`,
  );
  const rows = all.map((event, index) => row(event, top + index * rowHeight, x));
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="sequence of ${all.length} messages">${lanes.join('')}${rows.join('')}</svg>`;
}

function row({ atMs, from, to, label, body }: WireEvent, y: number, x: (party: Party) => number): string {
  const time = `<text class="time" x="4" y="${y + 4}">${(atMs / 1000).toFixed(3)} s</text>`;
  const title = `<title>${escaped(body === undefined ? label : `${label}\n${body}`)}</title>`;
  if (from === to)
    return `${time}<g>${title}<text class="remark" x="${x(from) + 8}" y="${y + 4}">${escaped(short(label))}</text></g>`;
  const [start, end] = [x(from), x(to)];
  const tip = end > start ? -7 : 7;
  const arrow = `<path class="arrow" d="M${start} ${y}H${end}M${end + tip} ${y - 4}L${end} ${y}L${end + tip} ${y + 4}"/>`;
  // Beside the arrow: also where it passes a lane that is none of its ends.
  const middle = start + (Math.sign(end - start) * lane) / 2;
  const kind = /^[45]\d\d\b/.test(label) ? 'label odd' : 'label';
  return `${time}<g>${title}${arrow}<text class="${kind}" x="${middle}" y="${y - 4}" text-anchor="middle">${escaped(short(label))}</text></g>`;
}

/** The ends of a label say most: the method, and the last piece of the path. */
function short(label: string): string {
  if (label.length <= mostLabel) return label;
  const kept = Math.floor((mostLabel - 1) / 2);
  return `${label.slice(0, mostLabel - 1 - kept)}…${label.slice(-kept)}`;
}

export function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
    .replaceAll(/[^\t\n\x20-\ud7ff\ue000-\ufffd]/g, '?');
}
