import { runMain } from '@turnwire/server';
import { readConversation, renderHistory } from './print-history.ts';
import { serve } from './serve.ts';
import { harnessCommand } from './settings.ts';

await runMain('turnwire-harness', async () => {
  const program = harnessCommand({
    serve,
    async history(iid, { dataDir, json }) {
      const state = readConversation(dataDir, iid);
      process.stdout.write(json ? `${JSON.stringify({ ...state, keys: undefined })}\n` : renderHistory(state));
    },
  });
  await program.parseAsync();
});
