/** Whether a subject is there, and takes work. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { SubjectError } from '../harness/subject.ts';
import { send } from '../harness/wire.ts';
import { until } from './until.ts';

/** Something listens at its address. @throws SubjectError when nothing does within the time */
export async function reached(role: string, url: string, timeoutMs: number): Promise<void> {
  let why = '';
  const listens = async () => {
    why = await refusal(url);
    if (why !== '') await new Promise((resolve) => setTimeout(resolve, againMs));
    return why === '';
  };
  if (await until(listens, timeoutMs)) return;
  throw new SubjectError(
    `is not there: ${why} for ${timeoutMs / 1000} s; start it at ${url} as docs/${role}.md says, or let the kit start it: --command`,
  );
}

const againMs = 100;

/** One that listens may be starting still (TW-GEN-024). Whatever else it says, or does not, is for the checks to see. */
export async function begun(url: string, answerMs: number, timeoutMs: number): Promise<void> {
  const ask = () => send({ path: '/readyz', token: null }, { baseUrl: url, token: '', timeoutMs: answerMs });
  const isStarting = async () => (await ask().catch(() => undefined))?.headers['turnwire-code'] === 'starting';
  await until(async () => !(await isStarting()), timeoutMs);
}

/** What comes of a connect; nothing when it is taken. */
function refusal(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) });
    const over = (why: string) => {
      socket.destroy();
      resolve(why);
    };
    socket.setTimeout(1_000, () => over('its address does not answer'));
    socket.once('connect', () => over('')).once('error', ({ message }) => over(message));
  });
}

/** Part of every name that the kit gives in a subject that it did not start: what an earlier run left there is not this one's. */
export const nonce = (): string => `k${randomBytes(4).toString('hex')}`;
