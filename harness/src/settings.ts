/** What a Harness is started with: flags win over the environment. Every setting of the Harness is named here. */
import {
  command,
  days,
  dnsLabel,
  duration,
  host,
  httpUrl,
  integer,
  path,
  port,
  StartError,
  setting,
} from '@turnwire/server';

type Command = ReturnType<typeof command>;
type Option = ReturnType<typeof setting>;

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
  /** Seconds. */
  readonly linger: number;
  /** Days. */
  readonly keepDays: number;
  readonly agentsFile?: string;
  /** The placement as which it registers itself; without it, others know where it is. */
  readonly nodeId?: string;
  readonly deployment: Deployment;
}

export type Deployment = 'resident' | 'serverless';

export interface DevSettings {
  readonly agentsFile: string;
  /** The settings of the process that serves, as its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What differs where a Harness is started by hand, restarts often, and has neighbours on the same machine. */
interface Defaults {
  readonly port: number;
  readonly dataDir?: string;
  readonly drainTimeout: number;
  readonly linger: number;
}
const SERVE: Defaults = { port: 8080, dataDir: '.turnwire/harness', drainTimeout: 600, linger: 5 };
const DEV: Defaults = { port: 0, drainTimeout: 30, linger: 1 };

const dataDir = (folder?: string): Option =>
  setting('DATA_DIR', 'folder of the conversations', { parse: path, ...(folder !== undefined && { default: folder }) });

/** The command line; `run` gets what was asked for. */
export function harnessCommand(run: {
  serve: (settings: ServeSettings) => Promise<void>;
  dev: (settings: DevSettings) => Promise<void>;
  history: (iid: string, settings: { readonly dataDir: string; readonly json: boolean }) => Promise<void>;
}): Command {
  const program = command('turnwire-harness', 'The reference Harness: conversations with agents.');
  const serve = withServeOptions(command('serve', 'serve the Harness API'), SERVE)
    .addOption(setting('AGENTS_FILE', 'JSON file of the agents that run without a definition', { parse: path }))
    .action((options: Partial<ServeSettings>) => run.serve(complete(options)));
  const dev = withServeOptions(command('dev', 'serve as a node, and restart when the agents file is saved'), DEV)
    .addOption(setting('AGENTS_FILE', 'as --agents', { parse: path }).hideHelp())
    .option('--agents <file>', 'JSON file of the agents; it is watched', path)
    .action((options: DevOptions) => run.dev(completeDev(options, dev.options)));
  const history = command('history', 'print a conversation of the data folder for a person')
    .argument('<iid>', 'the id of the conversation')
    .addOption(dataDir(SERVE.dataDir))
    .option('--json', 'print it as JSON', false)
    .action((iid: string, options: { dataDir: string; json: boolean }) => run.history(iid, options));
  for (const each of [serve, dev, history]) program.addCommand(each.copyInheritedSettings(program));
  return program;
}

const withServeOptions = (program: Command, defaults: Defaults): Command =>
  program
    .addOption(setting('HOST', 'address to listen on', { default: '127.0.0.1', parse: host }))
    .addOption(setting('PORT', 'port to listen on, 0 for a free one', { default: defaults.port, parse: port }))
    .addOption(setting('PUBLIC_URL', 'the address that callers know this Harness by', { parse: httpUrl }))
    .addOption(setting('HARNESS_TOKEN_SHA256', 'base64url of the SHA-256 of the harness token', { parse: digest }))
    .addOption(
      setting('CUSTODIAN_URL', 'the way to the Orchestrator', { default: 'http://127.0.0.1:8081', parse: httpUrl }),
    )
    .addOption(
      setting('PLACEMENT_TOKEN', 'what the Custodian takes', { default: 'turnwire-held-TURNWIRE_PLACEMENT_TOKEN' }),
    )
    .addOption(dataDir(defaults.dataDir))
    .addOption(setting('CONCURRENCY', 'turns that may run side by side', { default: 32, parse: integer(1) }))
    .addOption(
      setting('DRAIN_TIMEOUT', 'seconds that a drain waits for turns', {
        default: defaults.drainTimeout,
        parse: duration,
      }),
    )
    .addOption(
      setting('LINGER', 'seconds after its last settlement that a drain goes on serving readers', {
        default: defaults.linger,
        parse: duration,
      }),
    )
    .addOption(setting('KEEP_DAYS', 'days that a settled conversation is kept', { default: 7, parse: days }))
    .addOption(setting('NODE_ID', 'registers with the Orchestrator as this node', { parse: dnsLabel }))
    .addOption(
      setting<Deployment>('DEPLOYMENT', 'resident, or serverless', { default: 'resident', parse: deployment }),
    );

/** @throws StartError when the token's digest is missing: a Harness that anybody may use is none (TW-TOK-009) */
function complete(options: Partial<ServeSettings>): ServeSettings {
  if (!options.harnessTokenSha256) {
    throw new StartError(
      `TURNWIRE_HARNESS_TOKEN_SHA256 is not set; print it with: turnwire-orchestrator token harness ${options.nodeId ?? 'NAME'} --sha256`,
    );
  }
  if (options.nodeId !== undefined && options.publicUrl === undefined && isEveryAddress(options.host)) {
    throw new StartError(
      `a node that listens on ${options.host} must say where it is reached: set TURNWIRE_PUBLIC_URL`,
    );
  }
  return options as ServeSettings;
}

const isEveryAddress = (host = ''): boolean => ['0.0.0.0', '::', '::0', '0:0:0:0:0:0:0:0'].includes(host);

type DevOptions = Partial<ServeSettings> & { readonly agents?: string };

/** @throws StartError for all that the serving process would not start with, and that no save of a file mends */
function completeDev({ agents, ...options }: DevOptions, known: readonly Option[]): DevSettings {
  const agentsFile = agents ?? options.agentsFile;
  if (!agentsFile) throw new StartError('dev needs the file to watch: --agents FILE');
  if (!options.nodeId) throw new StartError('dev needs the name of its node: --node-id NAME');
  // Each node keeps its conversations to itself: two of them in one folder would wait for each other.
  const folder = options.dataDir ?? `.turnwire/harness-${options.nodeId}`;
  const settings: Record<string, unknown> = complete({ ...options, agentsFile, dataDir: folder }) as never;
  const env = known.flatMap((option) => {
    const value = settings[option.attributeName()];
    return option.envVar && value !== undefined ? [[option.envVar, String(value)] as const] : [];
  });
  return { agentsFile, env: Object.fromEntries(env) };
}

function deployment(text: string): Deployment {
  if (text === 'resident' || text === 'serverless') return text;
  throw new StartError('TURNWIRE_DEPLOYMENT must be resident or serverless');
}

function digest(text: string): string {
  if (/^[A-Za-z0-9_-]{43}$/.test(text)) return text;
  throw new StartError(
    'TURNWIRE_HARNESS_TOKEN_SHA256 is not a SHA-256 in base64url (43 characters); print it with: turnwire-orchestrator token harness NAME --sha256',
  );
}
