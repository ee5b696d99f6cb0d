/** What a Harness is started with: flags win over the environment. Every setting of the Harness is named here. */
import { command, httpUrl, integer, port, StartError, seconds, setting } from '@turnwire/server';

export interface ServeSettings {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  /** Base64url of the SHA-256 of the harness token's text. */
  readonly harnessTokenSha256: string;
  readonly custodianUrl: string;
  readonly placementToken: string;
  readonly dataDir: string;
  readonly concurrency: number;
  /** Seconds. */
  readonly drainTimeout: number;
  /** Days. */
  readonly keepDays: number;
  readonly agentsFile?: string;
}

const DATA_DIR = setting('DATA_DIR', 'folder of the conversations', { default: '.turnwire/harness' });

/** The command line; `run` gets what was asked for. */
export function harnessCommand(run: {
  serve: (settings: ServeSettings) => Promise<void>;
  history: (iid: string, settings: { readonly dataDir: string; readonly json: boolean }) => Promise<void>;
}): ReturnType<typeof command> {
  const program = command('turnwire-harness', 'The reference Harness: conversations with agents.');
  program.addCommand(
    command('serve', 'serve the Harness API')
      .addOption(setting('HOST', 'address to listen on', { default: '127.0.0.1' }))
      .addOption(setting('PORT', 'port to listen on, 0 for a free one', { default: 8080, parse: port }))
      .addOption(setting('PUBLIC_URL', 'the address that callers know this Harness by', { parse: httpUrl }))
      .addOption(setting('HARNESS_TOKEN_SHA256', 'base64url of the SHA-256 of the harness token', { parse: digest }))
      .addOption(
        setting('CUSTODIAN_URL', 'the way to the Orchestrator', { default: 'http://127.0.0.1:8081', parse: httpUrl }),
      )
      .addOption(
        setting('PLACEMENT_TOKEN', 'what the Custodian takes', { default: 'turnwire-held-TURNWIRE_PLACEMENT_TOKEN' }),
      )
      .addOption(DATA_DIR)
      .addOption(setting('CONCURRENCY', 'turns that may run side by side', { default: 32, parse: integer(1) }))
      .addOption(setting('DRAIN_TIMEOUT', 'seconds that a drain waits for turns', { default: 600, parse: seconds }))
      .addOption(setting('KEEP_DAYS', 'days that a settled conversation is kept', { default: 7, parse: seconds }))
      .addOption(setting('AGENTS_FILE', 'JSON file of the agents that run without a definition').argParser(String))
      .action((options: Partial<ServeSettings>) => run.serve(complete(options))),
  );
  program.addCommand(
    command('history', 'print a conversation of the data folder for a person')
      .argument('<iid>', 'the id of the conversation')
      .addOption(DATA_DIR)
      .option('--json', 'print it as JSON', false)
      .action((iid: string, options: { dataDir: string; json: boolean }) => run.history(iid, options)),
  );
  return program;
}

/** @throws StartError when the token's digest is missing: a Harness that anybody may use is none (TW-TOK-009) */
function complete(options: Partial<ServeSettings>): ServeSettings {
  if (!options.harnessTokenSha256) {
    throw new StartError(
      'TURNWIRE_HARNESS_TOKEN_SHA256 is not set; print it with: turnwire-orchestrator token harness NAME --sha256',
    );
  }
  if ((options.drainTimeout ?? 0) < 0) throw new StartError('the drain timeout must not be negative');
  return options as ServeSettings;
}

function digest(text: string): string {
  if (/^[A-Za-z0-9_-]{43}$/.test(text)) return text;
  throw new StartError(
    'TURNWIRE_HARNESS_TOKEN_SHA256 is not a SHA-256 in base64url (43 characters); print it with: turnwire-orchestrator token harness NAME --sha256',
  );
}
