import { describe, expect, it } from 'vitest';
import type { CheckResult, Report } from './check.ts';
import { claimOf } from './claim.ts';
import { html } from './html.ts';
import { style } from './page-style.ts';
import { Wire, type WireEvent } from './wire.ts';

const check = (id: string, verdict: CheckResult['verdict'], more: Partial<CheckResult> = {}): CheckResult => ({
  ...{ id, theme: id.split('.')[0] ?? '', says: '`code` & <prose>', requirements: ['TW-CER-001'], level: 'must' },
  ...{ verdict, ms: 1_234 },
  ...more,
});

const messages = (count: number): readonly WireEvent[] => {
  const wire = new Wire(0);
  for (let n = 0; n < count; n += 1) wire.message('harness', 'subject', `GET /agents/<a>/${n}`, '"b"', n);
  wire.message('subject', 'orchestrator', '503 stopping', undefined, count);
  wire.remark('the subject is killed');
  return wire.events;
};

const said = { did: 'says <a>', should: 'be silent', requirement: 'TW-CER-001' };
const checks = [
  check('a.passes', 'passed', { wire: messages(2) }),
  check('b.fails', 'failed', { ...said, trace: ['one', '<two>'], wire: messages(3) }),
  check('b.is_long', 'failed', { ...said, wire: messages(60), requirements: ['TW-CER-001', 'TW-CER-002'] }),
  check('c.not', 'not_tested', { sentence: 'it has to control the process' }),
  check('c.kit', 'kit_error', { sentence: 'the kit itself broke down', trace: ['at <here>'] }),
];
const report: Report = {
  ...{ mode: 'custodian', level: 'must', subject: { command: 'run "it" <x>' }, seed: 1, ms: 1500, checks },
  ...{ startedAt: '2026-01-01T00:00:00.000Z', claim: claimOf('must'), knownFailing: { failed: [], passed: ['a.b'] } },
};
const page = html(report);

const voids = new Set(['meta', 'input', 'br']);

/** The elements of a page in their nesting; throws at what a parser would have to mend. */
function elementsOf(text: string): string[] {
  const open: string[] = [];
  const all: string[] = [];
  const content = text.replace(/^<!doctype html>/, '').replaceAll(/(<(style|script)>)[\s\S]*?(?=<\/\2>)/g, '$1');
  for (const [, closing, name = '', attributes = '', self] of content.matchAll(/<(\/?)([a-z0-9]+)([^>]*?)(\/?)>/g)) {
    if (closing) expect(open.pop(), `</${name}>`).toBe(name);
    else {
      expect(attributes.replaceAll(/ [a-z-]+[\w-]*(="[^"<]*")?/gi, ''), `<${name}${attributes}>`).toBe('');
      all.push(name);
      if (!voids.has(name) && !self) open.push(name);
    }
  }
  expect(open).toEqual([]);
  expect(content.replaceAll(/<\/?[a-z0-9]+[^>]*>/g, '')).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;)/);
  return all;
}

describe('report.html', () => {
  it('is a page that no parser has to mend, whatever a subject says', () => {
    const all = elementsOf(page);
    expect(all.filter((name) => name === 'svg')).toHaveLength(3);
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(id);
  });

  it('says of each failure what was done, what should be, and where the spec says so; once', () => {
    expect(page).toContain('<h1>Not conformant</h1>');
    expect(page).toContain('<th scope="row">It did</th><td>it says &lt;a&gt;</td>');
    expect(page).toContain('<th scope="row">It should</th><td>be silent</td>');
    const entry = page.slice(page.indexOf('id="b.fails"'), page.indexOf('id="b.is_long"'));
    expect(entry.match(/A client MUST take an answer for ours/g)).toHaveLength(1);
    expect(entry).toMatch(/<pre tabindex="0">one\n&lt;two&gt;<\/pre>/);
    expect(page).toContain('<dt>TW-CER-002</dt>');
    expect(page).toContain('<code>code</code> &amp; &lt;prose&gt;');
  });

  it('has what is to be mended first, opened, and in reach of a click; what passed is closed', () => {
    const order = [...page.matchAll(/<details class="check \w+"[^>]* id="([^"]*)"( open)?>/g)].map((each) => [
      each[1],
      each[2] !== undefined,
    ]);
    expect(order).toEqual([
      ['c.kit', true],
      ['c.not', false],
      ['b.fails', true],
      ['b.is_long', true],
      ['a.passes', false],
    ]);
    expect(page.match(/<nav .*<\/nav>/s)?.[0].match(/href="#/g)).toHaveLength(3);
    expect(page).toContain('a.b passes although it is known to fail');
  });

  it('draws the parties by their names, and folds what is long', () => {
    expect(page).toMatch(/the kit as Harness<.*your custodian<.*the kit as Orchestrator</s);
    expect(page).toContain('<summary>The sequence of 62 messages</summary>');
    expect(page).toContain('class="label odd"');
  });

  it('fetches nothing', () => {
    expect(page).not.toMatch(/src=|href="[^#]|url\(|@import|https?:/);
    expect(page.match(/<script>/g)).toHaveLength(1);
  });

  it('has a filter and a word when nothing is left, is read with keys, in the dark and on a narrow screen', () => {
    expect(page.match(/<input type="checkbox"/g)).toHaveLength(4);
    expect(page).toContain('<p class="none" role="status" hidden>');
    expect(page.match(/<figure tabindex="0"/g)).toHaveLength(3);
    expect(style).toMatch(/prefers-color-scheme:dark.*:focus-visible.*max-width:640px/s);
  });
});
