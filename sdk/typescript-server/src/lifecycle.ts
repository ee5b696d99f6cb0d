/** A configuration or a machine that a role cannot start with; its message is one line that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';

  constructor(
    message: string,
    readonly exitCode = 2,
  ) {
    super(message);
  }
}

/** Runs a program: a `StartError` is one line on stderr and its exit code; anything else is a defect and shows its stack. */
export async function runMain(program: string, main: () => Promise<void>): Promise<void> {
  onLostOutput(program);
  try {
    await main();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${program}: ${error.message.replaceAll('\n', ' ')}\n`);
    process.exit(error.exitCode);
  }
}

/** A reader that closes the pipe early is no failure of ours; what cannot be written for another reason is told in a line. */
function onLostOutput(program: string): void {
  let told = false;
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || told) return;
    told = true;
    process.exitCode = 1;
    process.stderr.write(`${program}: the output cannot be written (${code})\n`);
  });
  process.stderr.on('error', () => undefined);
}

/** The first SIGTERM or SIGINT drains, a second one of either ends at once. Returns a function that stops listening. */
export function onSignals(actions: { drain: (signal: NodeJS.Signals) => void; again: () => void }): () => void {
  let asked = false;
  const listener = (signal: NodeJS.Signals) => {
    if (asked) return actions.again();
    asked = true;
    actions.drain(signal);
  };
  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
