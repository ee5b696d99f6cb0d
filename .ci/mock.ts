import { parseArgs } from 'node:util';
import { type DocumentName, documentNames } from '../contract-tests/prism/documents.ts';
import { type Mock, startMock } from '../contract-tests/prism/mock.ts';

/** `npm run mock`: the three documents as servers, for whoever writes a client. */
const firstPort = 4010;

/** An answer that a client of each role has to know. */
const worthAsking: Record<DocumentName, string> = {
  harness: 'code=410, example=stream_gone',
  orchestrator: 'code=409, example=pick_outstanding',
  custodian: 'code=502, example=retries_exhausted',
};

async function main(): Promise<void> {
  const first = portFrom(process.argv.slice(2));
  if (first === undefined)
    return stop([], 'usage: npm run mock [-- --port N]; N is the first of three ports, 0: free ones');
  const mocks: Mock[] = [];
  for (const [index, name] of documentNames.entries()) {
    const at = first === 0 ? 0 : first + index;
    const mock = await startMock(name, at).catch((error: NodeJS.ErrnoException) =>
      stop(mocks, whyNot(name, at, error)),
    );
    mocks.push(mock);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop(mocks));
  for (const [index, name] of documentNames.entries()) {
    const asking = `any bearer token; choose the answer with -H 'Prefer: ${worthAsking[name]}'`;
    process.stdout.write(`${name.padEnd(12)} ${mocks[index]?.url}  ${asking}\n`);
  }
}

/** Ends every mock that runs, and the process. */
async function stop(mocks: readonly Mock[], why?: string): Promise<never> {
  await Promise.all(mocks.map((mock) => mock.close()));
  if (why !== undefined) process.stderr.write(`mock: ${why}\n`);
  process.exit(why === undefined ? 0 : 2);
}

function whyNot(name: DocumentName, at: number, error: NodeJS.ErrnoException): string {
  if (error.code !== 'EADDRINUSE') return `${name} did not start: ${error.message}`;
  return `port ${at} (${name}) is taken: end what listens there, or choose others with \`npm run mock -- --port N\``;
}

/** `undefined`: that is no port, or no option. */
function portFrom(args: string[]): number | undefined {
  try {
    const { port } = parseArgs({ args, options: { port: { type: 'string', default: `${firstPort}` } } }).values;
    return /^\d{1,5}$/.test(port) && Number(port) + documentNames.length <= 65_536 ? Number(port) : undefined;
  } catch {
    return undefined;
  }
}

await main();
