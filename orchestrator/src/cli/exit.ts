/** How a command ends: its exit code, and for a failure the one line that says what and what to do. */
import { TurnwireFault } from '@turnwire/sdk';
import { StartError } from '@turnwire/server';

export const ExitCode = { done: 0, runFailed: 1, usage: 2, unreachable: 3, interrupted: 130 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** A failure of a command that it understands. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly exitCode: ExitCode = ExitCode.usage,
  ) {
    super(message);
  }
}

/**
 * Any error as the line and the code to end with; undefined: a defect, which shows its stack.
 * @param program how this command was called
 */
export function explain(error: unknown, program = 'turnwire'): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof StartError) return new CliError(error.message);
  if (error instanceof TurnwireFault) return explainFault(error, program);
  return undefined;
}

function explainFault(fault: TurnwireFault, program: string): CliError {
  if (fault.code === 'aborted') return new CliError('interrupted', ExitCode.interrupted);
  if (fault.status === 401 || fault.status === 403) {
    return new CliError(
      `the orchestrator at ${originOf(fault)} refused the instance token (${fault.code}); set TURNWIRE_INSTANCE_TOKEN, or --state-dir to the folder of its instance.token`,
    );
  }
  if (wasAnswered(fault)) return new CliError(problemLine(fault));
  if (fault.problem && fault.status !== undefined) {
    return new CliError(
      `the orchestrator at ${originOf(fault)} is not ready: ${fault.problem.detail ?? fault.message} (${fault.status} ${fault.code})`,
      ExitCode.unreachable,
    );
  }
  return new CliError(
    `cannot reach the orchestrator at ${originOf(fault)} (${fault.message}); start it with \`${program} dev\`, or set --url or TURNWIRE_URL to where it listens`,
    ExitCode.unreachable,
  );
}

/** A 4xx of ours: the orchestrator was reached and says no. */
const wasAnswered = ({ status, problem }: TurnwireFault): boolean =>
  problem !== undefined && status !== undefined && status >= 400 && status < 500;

/** What the walk found, on one line. */
export function findingsText(findings: unknown): string {
  if (!Array.isArray(findings) || findings.length === 0) return 'its module cannot be used';
  return findings.map((finding: { message?: unknown }) => String(finding.message)).join('; ');
}

/** What was refused, why, and what would have been taken. */
function problemLine({ problem, message, code }: TurnwireFault): string {
  if (problem?.findings !== undefined) return `${problem.detail ?? message}: ${findingsText(problem.findings)}`;
  const problems = problem?.problems ?? [];
  const what =
    problems.length === 0
      ? `${problem?.detail ?? message} (${code})`
      : `${code}: ${problems.map(problemText).join('; ')}`;
  return `${what}${alternatives(problem)}`;
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** A field that is not there is missing, in whatever words the schema's library says it. */
function problemText({ path, message }: Problem): string {
  const field = path.replace(/^\//, '').replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  if (/received undefined$|^is required$|^is missing$/.test(message)) return `${field || 'the input'} is missing`;
  return field ? `${field}: ${message}` : message;
}

function alternatives(problem: TurnwireFault['problem']): string {
  const { accepts, openGates } = (problem ?? {}) as { accepts?: unknown; openGates?: unknown };
  if (Array.isArray(openGates)) {
    const open = openGates.map((gate: OpenGate) => `${gate.gate} (${namesOf(gate.accepts)})`);
    return open.length > 0 ? `; open: ${open.join(', ')}` : '; no gate of this run is open';
  }
  const isWrongEvent = problem?.problems?.some(({ path }) => path === '/event');
  return isWrongEvent && Array.isArray(accepts) && accepts.length > 0 ? `; it accepts: ${namesOf(accepts)}` : '';
}

interface OpenGate {
  readonly gate: string;
  readonly accepts: readonly { name: string }[];
}

const namesOf = (events: OpenGate['accepts']): string => events.map(({ name }) => name).join(', ');

const originOf = ({ address }: TurnwireFault): string => (URL.canParse(address) ? new URL(address).origin : address);
