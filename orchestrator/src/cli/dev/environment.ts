/** Who gets what of the environment: no role sees a credential that is not its own. */

export interface Addresses {
  readonly orchestrator: string;
  readonly custodian: string;
  readonly harness: string;
}

/** A model key or base URL is set, so that the scripted model is not needed. */
export const hasModel = (env: NodeJS.ProcessEnv): boolean =>
  ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY'].some((name) => Boolean(env[name]));

const MODEL_SECRET = /_API_KEY$/;

/** The parent's environment without any Turnwire setting: a `TURNWIRE_PORT` meant for one would reach them all. */
export function plainEnvironment(env: NodeJS.ProcessEnv, withModelKeys: boolean): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !name.startsWith('TURNWIRE_') && (withModelKeys || !MODEL_SECRET.test(name)),
  );
  return { ...Object.fromEntries(kept), ...(env.TURNWIRE_LOG_LEVEL && { TURNWIRE_LOG_LEVEL: env.TURNWIRE_LOG_LEVEL }) };
}

/** What a Harness may be told from outside; never the instance token (TW-TOK-012). */
export function harnessEnvironment(env: NodeJS.ProcessEnv, drainSeconds: number): NodeJS.ProcessEnv {
  const { TURNWIRE_CONCURRENCY: concurrency, TURNWIRE_DRAIN_TIMEOUT: drain } = env;
  return {
    ...plainEnvironment(env, true),
    ...(concurrency && { TURNWIRE_CONCURRENCY: concurrency }),
    TURNWIRE_DRAIN_TIMEOUT: drain ?? String(drainSeconds),
  };
}

/** The scripted model speaks the OpenAI wire, so the Harness runs its real provider against it. */
export const scriptedModel = (url: string): NodeJS.ProcessEnv => ({
  OPENAI_BASE_URL: `${url.replace(/\/(v1)?$/, '')}/v1`,
  OPENAI_API_KEY: 'scripted',
});
