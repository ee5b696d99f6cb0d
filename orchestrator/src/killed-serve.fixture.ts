/**
 * `turnwire-orchestrator serve` that kills itself at one commit: `TURNWIRE_TEST_KILL` is `before N` or `after N`, the commits counted
 * from 1. It lives here and in no path of production. It begins at the first line on its standard input, so that a test can have the
 * next process ready before it needs it.
 */
import { once } from 'node:events';
import { protocol } from '@turnwire/sdk';
import { createLogger, onSignals } from '@turnwire/server';
import { prepareHost } from './prepare.ts';
import { serve } from './serve.ts';
import { settingsFrom } from './settings.ts';

const [given] = (await once(process.stdin, 'data')) as [Buffer];
process.stdin.destroy();
const { kill, flags } = JSON.parse(given.toString()) as { kill?: string; flags: Parameters<typeof settingsFrom>[0] };
const [side, at] = (kill ?? '').split(' ');
const killed = (count: number): void => {
  if (count === Number(at)) process.kill(process.pid, 'SIGKILL');
};
const hooks = side === 'before' ? { beforeCommit: killed } : side === 'after' ? { afterCommit: killed } : {};
const log = createLogger('orchestrator');
const serving = await serve(settingsFrom(flags), {
  log,
  software: { name: 'killed', version: '0' },
  feedCommentMs: protocol.constants.feedCommentMs,
  prepare: (settings, logger) => prepareHost(settings, logger, hooks),
});
onSignals({ drain: () => void serving.stop().then(() => process.exit(0)), again: () => process.exit(1) });
await serving.ready;
