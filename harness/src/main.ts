import { runMain } from '@turnwire/server';
import { dev } from './dev/dev.ts';
import { holdLeash } from './dev/leash.ts';
import { readConversation, renderHistory } from './print-history.ts';
import { serve } from './serve.ts';
import { harnessCommand } from './settings.ts';

await runMain('turnwire-harness', async () => {
  const program = harnessCommand({
    async serve(settings) {
      const serves = holdLeash();
      await serve(settings);
      serves();
    },
    async dev(settings) {
      const script = process.argv[1] ?? '';
      process.exitCode = await dev({ ...settings, program: [...process.execArgv, script] });
    },
    async history(iid, { dataDir, json }) {
      const state = readConversation(dataDir, iid);
      process.stdout.write(json ? `${JSON.stringify({ ...state, keys: undefined })}\n` : renderHistory(state));
    },
  });
  await program.parseAsync();
});
