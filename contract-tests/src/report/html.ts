/** One page that holds everything: no script of others, no style of others, nothing to be fetched. */
import { requirements } from '../client/spec.ts';
import { type CheckResult, conforms, countOf, type Report, type Verdict } from './check.ts';
import { claimText } from './claim.ts';
import { words } from './lines.ts';
import { style } from './page-style.ts';
import { escaped, sequence } from './sequence.ts';

/** In the order of what a reader mends first. */
const rank: readonly Verdict[] = ['kit_error', 'failed', 'not_tested', 'skipped', 'passed'];

export function html(report: Report): string {
  const { mode, subject } = report;
  const title = `Turnwire ${mode}: ${subject.name ?? subject.command}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${header(report)}
<main>
${themes(report)}
</main>
${filterScript}
</body>
</html>
`;
}

function header(report: Report): string {
  const { subject, mode, level, ms, startedAt, claim, checks } = report;
  const good = conforms(report);
  const name = [subject.name ?? subject.command, subject.version, subject.language].filter(Boolean).join(' · ');
  const counts = rank
    .filter((verdict) => countOf(report, verdict) > 0)
    .map((verdict) => {
      const share = (100 * countOf(report, verdict)) / checks.length;
      return `<span class="${verdict}" style="width:${share.toFixed(2)}%" title="${countOf(report, verdict)} ${words[verdict]}"></span>`;
    });
  const buttons = rank
    .filter((verdict) => countOf(report, verdict) > 0)
    .map(
      (verdict) =>
        `<label class="chip ${verdict}"><input type="checkbox" value="${verdict}" checked>${countOf(report, verdict)} ${words[verdict]}</label>`,
    );
  const known = report.knownFailing.passed.map(
    (id) => `<p class="note">${escaped(id)} passes although it is known to fail: take it out of the list.</p>`,
  );
  return `<header class="${good ? 'good' : 'bad'}">
<p class="mode">Turnwire contract tests · ${escaped(mode)}</p>
<h1>${good ? `Conformant at level ${level}` : 'Not conformant'}</h1>
<p>${escaped(name)} <code>${escaped(subject.command)}</code></p>
<div class="bar">${counts.join('')}</div>
<p class="filter">${buttons.join(' ')} <input type="search" placeholder="find a check or a TW- id" aria-label="find"></p>
${known.join('')}
<p class="claim">${escaped(claimText(claim))} · ${escaped(startedAt)} · ${(ms / 1000).toFixed(1)} s${
    subject.capabilities && subject.capabilities.length > 0 && mode !== 'client'
      ? ` · capabilities: ${escaped(subject.capabilities.join(', '))}`
      : ''
  }</p>
</header>`;
}

function themes({ checks }: Report): string {
  const all = [...new Set(checks.map(({ theme }) => theme))];
  const worst = (theme: string) =>
    Math.min(...checks.filter((check) => check.theme === theme).map(({ verdict }) => rank.indexOf(verdict)));
  const sorted = [...all].sort((one, other) => worst(one) - worst(other));
  return sorted
    .map((theme) => {
      const of = checks.filter((check) => check.theme === theme);
      const inOrder = [...of].sort((one, other) => rank.indexOf(one.verdict) - rank.indexOf(other.verdict));
      const passed = of.filter(({ verdict }) => verdict === 'passed').length;
      return `<section><h2>${escaped(theme)} <small>${passed} of ${of.length}</small></h2>${inOrder.map(entry).join('')}</section>`;
    })
    .join('\n');
}

function entry(check: CheckResult): string {
  const { id, verdict, says, level, ms, requirements: named } = check;
  const open = verdict === 'failed' || verdict === 'kit_error' ? ' open' : '';
  const key = escaped(`${id} ${named.join(' ')} ${says}`.toLowerCase());
  return `<details class="check ${verdict}" data-verdict="${verdict}" data-key="${key}" id="${escaped(id)}"${open}>
<summary><span class="mark">${words[verdict]}</span> <code>${escaped(id)}</code> <span class="says">${escaped(says)}</span><span class="ms">${level} · ${ms} ms</span></summary>
${verdictOf(check)}
<dl>${named.map((one) => `<dt>${one}</dt><dd>${escaped(requirements.get(one) ?? '')}</dd>`).join('')}</dl>
${drawing(check)}
</details>`;
}

function verdictOf({ verdict, did, should, requirement, sentence }: CheckResult): string {
  if (verdict === 'passed') return '';
  if (did === undefined || should === undefined) return `<p class="sentence">${escaped(sentence ?? '')}</p>`;
  return `<table class="verdict"><tr><th>It did</th><td>it ${escaped(did)}</td></tr><tr><th>It should</th><td>${escaped(should)}</td></tr><tr><th>Because</th><td>${escaped(requirement ?? '')}: ${escaped(requirements.get(requirement ?? '') ?? '')}</td></tr></table>`;
}

function drawing({ wire = [], trace = [], verdict }: CheckResult): string {
  const drawn = wire.length > 0 ? `<figure>${sequence(wire)}</figure>` : '';
  if (trace.length === 0) return drawn;
  const open = verdict === 'failed' && wire.length === 0 ? ' open' : '';
  return `${drawn}<details class="wire"${open}><summary>The wire, line by line</summary><pre>${escaped(trace.join('\n'))}</pre></details>`;
}

/** Shows what is ticked and what is searched for; without it everything is there. */
const filterScript = `<script>
const boxes = [...document.querySelectorAll('.filter input[type=checkbox]')];
const find = document.querySelector('.filter input[type=search]');
const apply = () => {
  const shown = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const words = find.value.toLowerCase().trim();
  for (const check of document.querySelectorAll('.check'))
    check.hidden = !shown.has(check.dataset.verdict) || !check.dataset.key.includes(words);
  for (const section of document.querySelectorAll('section'))
    section.hidden = section.querySelector('.check:not([hidden])') === null;
};
for (const input of [...boxes, find]) input.addEventListener('input', apply);
</script>`;
