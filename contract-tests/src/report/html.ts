/** One page that holds everything: no script of others, no style of others, nothing to be fetched. */
import { requirements } from '../client/spec.ts';
import { conforms, countOf, type Report, type Verdict } from './check.ts';
import { claimText } from './claim.ts';
import { entry } from './html-entry.ts';
import { words } from './lines.ts';
import { style } from './page-style.ts';
import { escaped } from './sequence.ts';

/** In the order of what a reader mends first. */
const rank: readonly Verdict[] = ['kit_error', 'failed', 'not_tested', 'skipped', 'passed'];

/** Failures that the top of the page lists before it only counts them. */
const mostListed = 20;

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
<p class="none" role="status" hidden>No check is like that.</p>
</main>
${filterScript}
</body>
</html>
`;
}

function header(report: Report): string {
  const { subject, mode, level, ms, startedAt, claim } = report;
  const good = conforms(report);
  const name = [subject.name, subject.version, subject.language].filter(Boolean).join(' · ');
  const known = report.knownFailing.passed.map(
    (id) => `<p class="note">${escaped(id)} passes although it is known to fail: take it out of the list.</p>`,
  );
  const capabilities = mode === 'client' ? [] : (subject.capabilities ?? []);
  const claims = [
    ...[claimText(claim), startedAt, `${(ms / 1000).toFixed(1)} s`],
    ...(capabilities.length > 0 ? [`capabilities: ${capabilities.join(', ')}`] : []),
  ];
  return `<header class="${good ? 'good' : 'bad'}">
<p class="mode">Turnwire contract tests · ${escaped(mode)}</p>
<h1>${good ? `Conformant at level ${level}` : 'Not conformant'}</h1>
<p class="subject">${escaped(name)} <code>${escaped(subject.command)}</code></p>
${counts(report)}
${known.join('')}
<p class="claim">${escaped(claims.join(' · '))}</p>
${wrongOnes(report)}
</header>`;
}

/** How many of each, as a bar and as what to tick. */
function counts(report: Report): string {
  const there = rank.map((verdict) => ({ verdict, count: countOf(report, verdict) })).filter(({ count }) => count > 0);
  const parts = there.map(({ verdict, count }) => {
    const share = (100 * count) / report.checks.length;
    return `<span class="${verdict}" style="width:${share.toFixed(2)}%"></span>`;
  });
  const chips = there.map(
    ({ verdict, count }) =>
      `<label class="chip ${verdict}"><input type="checkbox" value="${verdict}" checked> ${count} ${words[verdict]}</label>`,
  );
  const said = there.map(({ verdict, count }) => `${count} ${words[verdict]}`).join(', ');
  return `<div class="bar" role="img" aria-label="${said}">${parts.join('')}</div>
<p class="filter">${chips.join(' ')} <input type="search" placeholder="find a check or a TW- id" aria-label="Find a check or a TW- id"></p>`;
}

/** What is to be mended, each one click away. */
function wrongOnes({ checks }: Report): string {
  const wrong = checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'kit_error');
  if (wrong.length === 0) return '';
  const links = wrong.slice(0, mostListed).map(({ id }) => `<a href="#${escaped(id)}"><code>${escaped(id)}</code></a>`);
  const more = wrong.length > mostListed ? ` and ${wrong.length - mostListed} more` : '';
  return `<nav aria-label="What failed">To mend: ${links.join(' ')}${more}</nav>`;
}

function themes({ checks, mode }: Report): string {
  const all = [...new Set(checks.map(({ theme }) => theme))];
  const worst = (theme: string) =>
    Math.min(...checks.filter((check) => check.theme === theme).map(({ verdict }) => rank.indexOf(verdict)));
  const sorted = [...all].sort((one, other) => worst(one) - worst(other));
  return sorted
    .map((theme) => {
      const of = checks.filter((check) => check.theme === theme);
      const inOrder = [...of].sort((one, other) => rank.indexOf(one.verdict) - rank.indexOf(other.verdict));
      const passed = of.filter(({ verdict }) => verdict === 'passed').length;
      const entries = inOrder.map((check) => entry(check, mode, requirements));
      return `<section><h2>${escaped(theme)} <small>${passed} of ${of.length} passed</small></h2>${entries.join('')}</section>`;
    })
    .join('\n');
}

/** Shows what is ticked and what is searched for, and opens what a link leads to; without it everything is there. */
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
  document.querySelector('.none').hidden = document.querySelector('section:not([hidden])') !== null;
};
for (const input of [...boxes, find]) input.addEventListener('input', apply);
const open = () => {
  const check = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!check) return;
  check.hidden = check.parentElement.hidden = false;
  check.open = true;
  check.scrollIntoView();
};
addEventListener('hashchange', open);
open();
</script>`;
