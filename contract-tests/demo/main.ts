import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Cast, type ModelEnv } from './cast.ts';
import { byItself, byPerson } from './gate.ts';
import { audit } from './ledger.ts';
import { readOptions, UsageError } from './options.ts';
import { verdict } from './report.ts';
import { restarts } from './restarts/main.ts';
import { tell } from './story.ts';
import { Timeline } from './timeline.ts';

/** A story that stands still longer than this will not end by itself, in milliseconds. */
const STUCK_MS = 120_000;
const SCRIPT = fileURLToPath(new URL('../scripts/review.json', import.meta.url));

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const folder = mkdtempSync(join(tmpdir(), 'turnwire-demo-'));
  const timeline = new Timeline((text) => process.stdout.write(text));
  const cast = await Cast.create(folder, (line) => timeline.log(line), options.custodian);
  const clear = () => {
    cast.kill();
    if (options.keep) process.stdout.write(`kept in ${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      clear();
      process.exit(130);
    });
  }
  const real = realModel();
  try {
    const told = tell(cast, timeline, {
      ...options,
      model: real ?? {},
      ...(real ? {} : { script: SCRIPT }),
      answer: options.interactive ? byPerson() : byItself,
    });
    const runs = options.interactive ? await told : await Promise.race([told, stuck()]);
    const facts = await audit(cast, runs, timeline.routability);
    const exits = await cast.stop();
    const { text, ok } = verdict(facts, exits);
    process.stdout.write(`\n${text}\n`);
    return ok ? 0 : 1;
  } finally {
    clear();
  }
}

/** The caller's own model, where the environment names one. */
function realModel(): ModelEnv | undefined {
  const names = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'];
  const entries = names.flatMap((name) => (process.env[name] ? [[name, process.env[name] as string]] : []));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function stuck(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(
      () => reject(new Error(`nothing ended within ${STUCK_MS / 1000} s; run it with --keep and read the logs`)),
      STUCK_MS,
    ).unref();
  });
}

try {
  const [verb, ...rest] = process.argv.slice(2);
  process.exit(verb === 'restarts' ? await restarts(rest) : await main());
} catch (error) {
  process.stderr.write(`demo: ${(error as Error).message}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
