/** Which Agent an admission runs: the one it carries, or the one configured here, with its own fields on top. */
import { readFileSync } from 'node:fs';
import { Problem, StartError } from '@turnwire/server';
import type { Prompt } from '../conversation/state.ts';
import { MAX_AGENTS_FILE_BYTES } from '../limits.ts';
import type { AgentDefinition, Limits } from '../turn/port.ts';

/** The body of an admission, checked against the spec. */
export interface AdmissionBody {
  readonly message: string;
  readonly definition?: AgentDefinition;
  readonly model?: string;
  readonly thinkingLevel?: string;
  readonly limits?: Limits;
  readonly turnId?: string;
  readonly notices?: readonly string[];
}

/** An agent that is configured here; a node tells the Orchestrator of it, so that it can be called by its name. */
export interface ConfiguredAgent extends AgentDefinition {
  readonly description?: string;
  /** JSON Schema of what a call of it returns. */
  readonly output?: object | boolean;
}

export type Agents = ReadonlyMap<string, ConfiguredAgent>;

/** @throws Problem 404 `unknown_agent`, 422 `invalid` for a model that no engine knows (TW-ADM-006 to TW-ADM-009) */
export function resolvePrompt(
  name: string,
  body: AdmissionBody,
  agents: Agents,
  knownModel: (model: string) => boolean,
): Prompt {
  const base = body.definition ?? agents.get(name);
  if (!base) {
    throw new Problem('unknown_agent', `no definition was sent, and no agent ${name} is configured here`);
  }
  const thinkingLevel = body.thinkingLevel ?? base.thinkingLevel;
  const definition: AgentDefinition = {
    model: body.model ?? base.model,
    instructions: base.instructions,
    limits: { ...base.limits, ...body.limits },
    ...(thinkingLevel === undefined ? {} : { thinkingLevel }),
  };
  if (!knownModel(definition.model)) throw unknownModel(body, definition.model);
  return { agentName: name, definition, message: body.message, notices: body.notices ?? [] };
}

function unknownModel(body: AdmissionBody, model: string): Problem {
  const path = body.model === undefined ? '/definition/model' : '/model';
  const message = `no engine of this Harness runs the model ${model.slice(0, 100)}`;
  return new Problem('invalid', message, { members: { problems: [{ path, message }] } });
}

/**
 * Reads the agents that run without a definition: `{"agents": {"coder": {"model": …, "instructions": …}}}`, each with a
 * `description` and the JSON Schema of its `output` if it has them.
 * @throws StartError in one line that names the file and the agent
 */
export function loadAgents(file: string, knownModel: (model: string) => boolean): Agents {
  const agents = parseFile(file);
  return new Map(
    Object.entries(agents).map(([name, value]) => {
      if (!NAME.test(name))
        throw new StartError(`${file}: an agent's name has letters, digits and ._~- alone: "${name}"`);
      return [name, configured(`${file}: agent ${name}`, value, knownModel)];
    }),
  );
}

/** What stands for an agent in a path. */
const NAME = /^[A-Za-z0-9._~-]{1,128}$/;

function configured(who: string, value: unknown, knownModel: (model: string) => boolean): ConfiguredAgent {
  const { model, instructions, limits, thinkingLevel, description, output } = (value ?? {}) as Partial<ConfiguredAgent>;
  if (typeof model !== 'string' || typeof instructions !== 'string') {
    throw new StartError(`${who} needs a model and instructions, both texts`);
  }
  if (!knownModel(model)) throw new StartError(`${who} names the unknown model ${model}`);
  if (description !== undefined && typeof description !== 'string') {
    throw new StartError(`${who} has a description that is no text`);
  }
  if (output !== undefined && typeof output !== 'boolean' && !isObject(output)) {
    throw new StartError(`${who} has an output that is no JSON Schema`);
  }
  return {
    model,
    instructions,
    ...(limits ? { limits } : {}),
    ...(thinkingLevel ? { thinkingLevel } : {}),
    ...(description === undefined ? {} : { description }),
    ...(output === undefined ? {} : { output }),
  };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

function parseFile(file: string): Record<string, unknown> {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_AGENTS_FILE_BYTES) throw new Error(`it is larger than ${MAX_AGENTS_FILE_BYTES} bytes`);
    const { agents } = JSON.parse(bytes.toString()) as { agents?: unknown };
    if (!isObject(agents)) throw new Error('it has no object "agents" with a member for each agent');
    return agents as Record<string, unknown>;
  } catch (error) {
    throw new StartError(`the agents file ${file} cannot be read: ${(error as Error).message}`);
  }
}
