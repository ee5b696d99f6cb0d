import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel, streamText } from 'ai';
import { EngineFailure } from './port.ts';

/** Keys and base URLs by provider; see `modelSettings`. */
export interface ModelSettings {
  readonly openaiApiKey?: string;
  /** With its `/v1`. */
  readonly openaiBaseUrl?: string;
  readonly anthropicApiKey?: string;
  /** With or without its `/v1`: both forms are in use. */
  readonly anthropicBaseUrl?: string;
}

export type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]['providerOptions']>;

export interface ResolvedModel {
  readonly model: LanguageModel;
  readonly providerOptions: ProviderOptions;
}

type Fetch = typeof globalThis.fetch;
type Open = (id: string, settings: ModelSettings, fetch: Fetch | undefined) => LanguageModel;

interface Provider {
  readonly open: Open;
  readonly thinking: (level: string) => ProviderOptions;
}

const OPENAI_URL = 'https://api.openai.com/v1';
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Chat completions for both: it is the wire that everything behind an OpenAI-compatible URL speaks. */
const openOpenai: Open = (id, settings, fetch) => {
  // A local server needs no key, but the provider insists on one; the public API does need it and will say so.
  const apiKey = settings.openaiApiKey ?? (settings.openaiBaseUrl === undefined ? undefined : 'none');
  if (apiKey === undefined)
    throw new EngineFailure('OPENAI_API_KEY is not set (or OPENAI_BASE_URL, for a server of your own)');
  return createOpenAI({ apiKey, baseURL: settings.openaiBaseUrl ?? OPENAI_URL, ...(fetch && { fetch }) }).chat(id);
};

const openCompatible: Open = (id, settings, fetch) =>
  createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: settings.openaiBaseUrl ?? OPENAI_URL,
    includeUsage: true,
    ...(settings.openaiApiKey !== undefined && { apiKey: settings.openaiApiKey }),
    ...(fetch && { fetch }),
  })(id);

const openAnthropic: Open = (id, settings, fetch) => {
  if (settings.anthropicApiKey === undefined) throw new EngineFailure('ANTHROPIC_API_KEY is not set');
  return createAnthropic({
    apiKey: settings.anthropicApiKey,
    ...(settings.anthropicBaseUrl !== undefined && { baseURL: withVersion(settings.anthropicBaseUrl) }),
    ...(fetch && { fetch }),
  })(id);
};

const withVersion = (url: string) => (/\/v\d+\/?$/.test(url) ? url : `${url.replace(/\/$/, '')}/v1`);

/**
 * Effort alone for Anthropic: its thinking blocks would have to be sent back with their signatures at the next step,
 * and a stored message has no such part.
 */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: { open: openOpenai, thinking: (level) => ({ openai: { reasoningEffort: level } }) },
  'openai-compatible': {
    open: openCompatible,
    thinking: (level) => ({ openaiCompatible: { reasoningEffort: level } }),
  },
  anthropic: {
    open: openAnthropic,
    thinking: (level): ProviderOptions =>
      level === 'none' || level === 'minimal' ? { anthropic: { effort: 'low' } } : { anthropic: { effort: level } },
  },
};

/** What may stand before the slash of a model string, for messages. */
export const modelProviders: readonly string[] = Object.keys(PROVIDERS);

/** Whether `provider/model` names a provider that this Harness has; asked before anything is created (422 `invalid`). */
export function knownModel(model: string): boolean {
  return split(model) !== undefined;
}

function split(model: string): { provider: Provider; id: string } | undefined {
  const slash = model.indexOf('/');
  const name = model.slice(0, Math.max(slash, 0));
  const id = model.slice(slash + 1);
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a model's name is a mistake
  return provider !== undefined && id !== '' && !/[\s\u0000-\u001f]/.test(id) ? { provider, id } : undefined;
}

/** Keys and base URLs from the environment; an empty variable is one that is not set. */
export function modelSettings(env: Readonly<Record<string, string | undefined>>): ModelSettings {
  return {
    ...(env.OPENAI_API_KEY && { openaiApiKey: env.OPENAI_API_KEY }),
    ...(env.OPENAI_BASE_URL && { openaiBaseUrl: env.OPENAI_BASE_URL }),
    ...(env.ANTHROPIC_API_KEY && { anthropicApiKey: env.ANTHROPIC_API_KEY }),
    ...(env.ANTHROPIC_BASE_URL && { anthropicBaseUrl: env.ANTHROPIC_BASE_URL }),
  };
}

/** The provider's model; throws `EngineFailure` when it is not known or its key is missing. */
export function resolveModel(
  model: string,
  thinkingLevel: string | undefined,
  settings: ModelSettings,
  fetch?: Fetch,
): ResolvedModel {
  const known = split(model);
  if (known === undefined)
    throw new EngineFailure(
      `unknown model ${JSON.stringify(model)}: one of ${modelProviders.join(', ')} and a slash come first`,
    );
  const level = thinkingLevel === 'off' ? 'none' : thinkingLevel;
  // A level that no provider has a word for is not sent: the model then thinks as much as it does by itself.
  const providerOptions = level !== undefined && EFFORTS.includes(level) ? known.provider.thinking(level) : {};
  return { model: known.provider.open(known.id, settings, fetch), providerOptions };
}

/** A provider's text without the keys, should it quote them. */
export function withoutKeys(text: string, settings: ModelSettings): string {
  const keys = [settings.openaiApiKey, settings.anthropicApiKey].filter((key) => key !== undefined && key.length >= 6);
  return keys.reduce<string>((rest, key) => rest.replaceAll(key as string, '[key]'), text);
}
