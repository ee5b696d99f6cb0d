/** `turnwire-orchestrator`: serves the Orchestrator API, and derives tokens. */
import { protocol } from '@turnwire/sdk';
import { command, createLogger, onSignals, runMain } from '@turnwire/server';
import { prepareHost } from './prepare.ts';
import { serve } from './serve.ts';
import { type ServeFlags, serveOptions, settingsFrom } from './settings.ts';
import { software } from './software.ts';
import { tokenCommand } from './token-commands.ts';

const PROGRAM = 'turnwire-orchestrator';

async function serveCommand(flags: ServeFlags): Promise<void> {
  const log = createLogger('orchestrator');
  const serving = await serve(settingsFrom(flags), {
    log,
    software: software(),
    feedCommentMs: protocol.constants.feedCommentMs,
    prepare: prepareHost,
  });
  onSignals({
    drain: (signal) => {
      log.info({ signal }, 'stopping');
      void serving.stop().then(() => process.exit(0));
    },
    // A second one: at once, as asked. What was committed is kept.
    again: () => process.exit(1),
  });
  await serving.ready;
}

await runMain(PROGRAM, async () => {
  const program = command(PROGRAM, 'The reference Orchestrator of Turnwire.').version(software().version);
  const serveIt = command('serve', 'serve the Orchestrator API').action(serveCommand);
  for (const option of serveOptions()) serveIt.addOption(option);
  program.addCommand(serveIt.copyInheritedSettings(program));
  program.addCommand(
    tokenCommand(
      (text) => process.stdout.write(text),
      (text) => process.stderr.write(text),
    ),
  );
  await program.parseAsync();
});
