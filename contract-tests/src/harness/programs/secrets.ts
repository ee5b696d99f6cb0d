/** No credential and no prompt in anything that the process wrote. */
import { markOf } from '../../doubles/model.ts';
import type { Conversation } from '../conversation.ts';

export async function secretsKept(in_: Conversation): Promise<void> {
  const { host, stage, iid } = in_;
  const metrics = (await in_.call({ path: '/metrics' })).text;
  const secrets = [
    [stage.token, 'its token', 'TW-GEN-029'],
    [stage.modelKey, "the model's key", 'TW-GEN-029'],
    [markOf(iid), 'a prompt', 'TW-TRN-017'],
  ] as const;
  for (const [secret, what, requirement] of secrets) {
    if (host.written.includes(secret)) in_.wrong(`wrote ${what} to its log`, 'keep it', requirement);
    if (metrics.includes(secret)) in_.wrong(`told ${what} in its metrics`, 'keep it', requirement);
  }
  const lines = host.process?.log.trim().split('\n') ?? [];
  const odd = lines.find((line) => line !== '' && !isJson(line));
  // The first line kept may be cut.
  if (odd !== undefined && odd !== lines[0]) in_.wrong(`logged ${odd.slice(0, 80)}`, 'log JSON lines', 'TW-GEN-033');
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
