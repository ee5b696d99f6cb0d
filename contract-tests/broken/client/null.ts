/** Subjects that are no adapter at all: none of them may pass a check. `node null.ts KIND` */
import { createInterface } from 'node:readline';

const say = (value: object): unknown => process.stdout.write(`${JSON.stringify(value)}\n`);

const features = ['cancel', 'ladder', 'texts', 'receipts', 'admit', 'wait', 'history', 'abort', 'surface', 'deliver'];
const more = ['poll', 'startRun', 'listRuns', 'getRun', 'answerGate', 'cancelRun', 'harnessInfo', 'orchestratorInfo'];

const introduction = { language: 'none', version: '0', features: [...features, ...more] };

const fault = (id: string, code: string, certainty: string): object => ({
  id,
  outcome: 'fault',
  error: { code, certainty, attempts: 2, elapsedMs: 1, message: 'no' },
});

const kinds: Readonly<Record<string, (id: string, command: string) => unknown>> = {
  /** Answers `{}` to all. */
  empty: () => say({}),
  /** Introduces itself, and has nothing else to say. */
  mute_results: (id, command) => say(command === 'init' ? { id, ...introduction } : { id }),
  /** Introduces itself, and calls everything a success. */
  yes: (id, command) => say(command === 'init' ? { id, ...introduction } : { id, outcome: 'ok', attempts: 1 }),
  /** Introduces itself, and says of everything that there is no such thing. */
  not_found: (id, command) => say(command === 'init' ? { id, ...introduction } : fault(id, 'not_found', 'answered')),
  /** Introduces itself, and says of everything that nobody was there. */
  unavailable: (id, command) =>
    say(command === 'init' ? { id, ...introduction } : fault(id, 'unreachable', 'never_delivered')),
  /** Introduces itself, and hangs. */
  hang: (id, command) => command === 'init' && say({ id, ...introduction }),
  /** Introduces itself, and ends at its first command. */
  leave: (id, command) => (command === 'init' ? say({ id, ...introduction }) : process.exit(0)),
  not_json: () => process.stdout.write('hello\n'),
  silent: () => undefined,
};

const kind = process.argv[2] ?? '';
if (kind === 'exit') process.exit(0);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, command } = JSON.parse(line) as { id: string; command: string };
  kinds[kind]?.(id, command);
});
