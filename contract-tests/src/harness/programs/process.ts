/** How the process of a harness starts, and what stands in its way. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { until } from '../../run/until.ts';
import type { Conversation } from '../conversation.ts';
import { SubjectError, type SubjectProcess } from '../subject.ts';

/** Milliseconds that a successor may take to be there once the data folder is free. */
const takeoverMs = 35_000;
/** The one line, and what a logger says around it; a stack is longer. */
const mostLines = 3;
/** How long a connection of the kit is idle: well over the minute of a usual load balancer. */
const idleMs = 62_000;

export async function listeningLine(in_: Conversation): Promise<void> {
  const lines = (in_.host.process?.stdout ?? '').split('\n').filter((line) => line !== '');
  const [line = ''] = lines;
  if (lines.length !== 1) in_.wrong(`wrote ${lines.length} lines on standard output`, 'write one', 'TW-GEN-030');
  const { event, role, url, pid } = objectOf(line);
  if (event !== 'listening' || role !== 'harness' || typeof pid !== 'number' || !/:[1-9]\d*$/.test(String(url)))
    return in_.wrong(`said ${line}`, 'say event, role, url with its port, and pid', 'TW-GEN-030');
  const { status } = await in_.callAt(String(url), { path: '/healthz' });
  if (status !== 204) in_.wrong(`answered /healthz at that url ${status}`, 'serve there', 'TW-GEN-030');
}

function objectOf(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export async function takenPort(in_: Conversation): Promise<void> {
  await doesNotStart(in_, {
    TURNWIRE_PORT: new URL(in_.host.url).port,
    TURNWIRE_DATA_DIR: `${in_.host.process?.dataDir}-2`,
  });
}

export async function wrongSettings(in_: Conversation): Promise<void> {
  await doesNotStart(in_, { TURNWIRE_HARNESS_TOKEN_SHA256: '', TURNWIRE_DATA_DIR: `${in_.host.process?.dataDir}-2` });
}

/** It ends by itself, non-zero, having said why. */
async function doesNotStart(in_: Conversation, settings: Readonly<Record<string, string>>): Promise<void> {
  const { process } = in_.host;
  const started = await process?.beside(settings).catch(subjectError);
  const wrong = (did: string) => in_.wrong(did, 'end non-zero with one clear line on standard error', 'TW-GEN-031');
  if (!(started instanceof SubjectError)) {
    await started?.kill();
    return wrong('started all the same');
  }
  const lines = started.log.split('\n').filter((line) => line.trim() !== '');
  if (started.code === undefined) wrong(started.message);
  else if (started.code === 0) wrong('ended with code 0');
  else if (lines.length === 0) wrong(`ended with code ${started.code} and said nothing`);
  else if (lines.length > mostLines) wrong(`wrote ${lines.length} lines: ${lines[0]?.slice(0, 80)} …`);
}

function subjectError(error: unknown): SubjectError {
  if (error instanceof SubjectError) return error;
  throw error;
}

export async function successor(in_: Conversation): Promise<void> {
  const { process } = in_.host;
  if (!process) return;
  const next = await process.beside().catch(subjectError);
  if (next instanceof SubjectError)
    return in_.wrong('gave up at once', 'listen, and wait up to 30 s for the data folder', 'TW-DUR-008');
  try {
    await waits(in_, next);
  } finally {
    await next.kill();
  }
}

async function waits(in_: Conversation, next: SubjectProcess): Promise<void> {
  const ask = (path: string) => in_.callAt(next.url, { path });
  const ready = await ask('/readyz');
  if (ready.status !== 503) in_.wrong(`answered /readyz ${ready.status} beside another`, 'answer 503', 'TW-DUR-008');
  const admitted = await in_.callAt(next.url, { path: `/agents/${in_.agent}/${in_.iid}`, json: { message: 'x' } });
  if (admitted.status !== 503 || admitted.headers['turnwire-code'] !== 'draining')
    in_.wrong(`answered an admission ${admitted.status} before it can work`, 'answer 503 draining', 'TW-GEN-036');
  await in_.host.process?.kill();
  const isReady = async () => (await ask('/readyz')).status === 204;
  if (!(await until(isReady, takeoverMs))) return in_.wrong('was not ready in time', 'take over', 'TW-DUR-008');
  const { status } = await ask(`/agents/${in_.agent}/${in_.iid}?view=history`);
  if (status !== 200) in_.wrong(`knew nothing of the conversation (${status})`, 'go on with the folder', 'TW-DUR-008');
}

/** The second request goes out on the socket of the first. */
export async function idleConnection(in_: Conversation): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(in_.host.url);
  const ask = () =>
    new Promise<boolean>((resolve) => {
      const sent = request({ hostname, port, path: '/healthz', agent }, (answer: IncomingMessage) => {
        answer.resume().once('end', () => resolve(sent.reusedSocket));
      });
      sent.once('error', () => resolve(false));
      sent.end();
    });
  await ask();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  if (!(await ask())) in_.wrong(`closed a connection that was idle for ${idleMs / 1000} s`, 'keep it', 'TW-GEN-034');
  agent.destroy();
}
