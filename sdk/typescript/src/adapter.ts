/**
 * Speaks the adapter protocol of the contract tests (JSON lines, one command, one result), so that `turnwire-contract client`
 * can hold this SDK to the same cases as every other. Not part of the package's API.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { classified, delays, receiptSays, textOf } from './adapter-vectors.ts';
import * as sdk from './index.ts';

interface Command {
  readonly id: string;
  readonly command: string;
  readonly url?: string;
  readonly token?: string;
  readonly input?: unknown;
  readonly options?: { windowMs?: number; attemptMs?: number };
  /** The command that a `cancel` gives up. */
  readonly of?: string;
}

interface Opened {
  readonly connection: sdk.Connection;
  readonly lines: string[];
}

type Seat = (connection: sdk.Connection, input: never, call: sdk.CallOptions) => Promise<unknown>;

const { admit, history, abort, surface, deliver, poll, startRun, listRuns, getRun, answerGate, cancelRun } = sdk;

const seats: Readonly<Record<string, Seat>> = {
  ...{ admit, history, abort, surface, deliver, poll, startRun, listRuns, getRun, answerGate, cancelRun },
  harnessInfo: (connection, _, call) => sdk.harnessInfo(connection, call),
  orchestratorInfo: (connection, _, call) => sdk.orchestratorInfo(connection, call),
  listWorkflows: (connection, _, call) => sdk.listWorkflows(connection, call),
  async wait(connection, input, call) {
    const waiting = sdk.wait(connection, input, call);
    const records: sdk.StreamRecord[] = [];
    for await (const record of waiting) records.push(record);
    return { settlement: await waiting.settlement(), records, offset: waiting.offset };
  },
};

const pure: Readonly<Record<string, (input: never) => object>> = {
  init: () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    const features = ['cancel', 'ladder', 'texts', 'receipts', 'routability', ...Object.keys(seats)];
    return { protocol: 1, language: 'typescript', vectors: 'node', version, features };
  },
  classify: classified,
  ladder: delays,
  text: textOf,
  receipt: receiptSays,
};

const opened = new Map<string, Opened>();
const running = new Map<string, AbortController>();

function open({ url = '', token }: Command): Opened {
  const known = opened.get(url);
  if (known !== undefined) return known;
  const lines: string[] = [];
  const options = { baseUrl: url, log: (line: sdk.RoutabilityLine) => lines.push(line.msg) };
  const made = { connection: sdk.connect(token === undefined ? options : { ...options, token }), lines };
  opened.set(url, made);
  return made;
}

/** The members of an input may also stand beside the command. */
function inputOf({ input: given, ...command }: Command): unknown {
  return given ?? command;
}

async function callSeat(seat: Seat, command: Command): Promise<object> {
  const { connection, lines } = open(command);
  const controller = new AbortController();
  running.set(command.id, controller);
  const call = { ...command.options, signal: controller.signal };
  const said = await seat(connection, inputOf(command) as never, call).then(succeeded, failed);
  running.delete(command.id);
  return { ...said, lines: lines.splice(0) };
}

function succeeded(value: unknown): object {
  const { code, kind, text, certainty, taken, attempts } = (value ?? {}) as Partial<sdk.Delivered>;
  return {
    outcome: code !== undefined && text !== undefined ? code : 'ok',
    kind,
    text,
    certainty,
    taken,
    attempts,
    value,
  };
}

function failed(thrown: unknown): object {
  if (!(thrown instanceof sdk.TurnwireFault)) return { outcome: 'thrown', error: { message: String(thrown) } };
  const { seat, code, certainty, status, address, attempts, elapsedMs, permanent, message } = thrown;
  const error = { seat, code, certainty, status, address, attempts, elapsedMs, permanent, message };
  return { outcome: 'fault', certainty, attempts, error };
}

async function perform(command: Command): Promise<object> {
  const own = Object.hasOwn(pure, command.command) ? pure[command.command] : undefined;
  if (own !== undefined) return own(inputOf(command) as never);
  if (command.command === 'cancel') return cancel(command);
  if (command.command === 'close') return close(command);
  const seat = Object.hasOwn(seats, command.command) ? seats[command.command] : undefined;
  return seat === undefined ? { outcome: 'unsupported' } : callSeat(seat, command);
}

function cancel({ of = '' }: Command): object {
  running.get(of)?.abort();
  return { outcome: 'ok' };
}

async function close({ url = '' }: Command): Promise<object> {
  await opened.get(url)?.connection.close();
  opened.delete(url);
  return { outcome: 'ok' };
}

/** A line that is no JSON object is answered, and the next one is heard. */
function commandOf(line: string): Command | undefined {
  try {
    const command: unknown = JSON.parse(line);
    return typeof command === 'object' && command !== null ? (command as Command) : undefined;
  } catch {
    return undefined;
  }
}

const input = createInterface({ input: process.stdin });
input.on('line', (line) => {
  const command = commandOf(line);
  const performed =
    command === undefined ? Promise.reject(new SyntaxError('the line is no command')) : perform(command);
  performed.catch(failed).then((result) => process.stdout.write(`${JSON.stringify({ id: command?.id, ...result })}\n`));
});
input.on('close', () => process.exit());
