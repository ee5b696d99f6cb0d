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

export type Agents = ReadonlyMap<string, AgentDefinition>;

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
 * Reads the agents that run without a definition: `{"agents": {"coder": {"model": …, "instructions": …}}}`.
 * @throws StartError in one line that names the file and the agent
 */
export function loadAgents(file: string, knownModel: (model: string) => boolean): Agents {
  const agents = parseFile(file);
  return new Map(
    Object.entries(agents).map(([name, value]) => {
      const { model, instructions, limits, thinkingLevel } = (value ?? {}) as Partial<AgentDefinition>;
      if (typeof model !== 'string' || typeof instructions !== 'string') {
        throw new StartError(`${file}: agent ${name} needs a model and instructions, both texts`);
      }
      if (!knownModel(model)) throw new StartError(`${file}: agent ${name} names the unknown model ${model}`);
      const definition: AgentDefinition = {
        model,
        instructions,
        ...(limits ? { limits } : {}),
        ...(thinkingLevel ? { thinkingLevel } : {}),
      };
      return [name, definition] as const;
    }),
  );
}

function parseFile(file: string): Record<string, unknown> {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_AGENTS_FILE_BYTES) throw new Error(`it is larger than ${MAX_AGENTS_FILE_BYTES} bytes`);
    const { agents } = JSON.parse(bytes.toString()) as { agents?: unknown };
    if (typeof agents !== 'object' || agents === null) throw new Error('it has no object "agents"');
    return agents as Record<string, unknown>;
  } catch (error) {
    throw new StartError(`the agents file ${file} cannot be read: ${(error as Error).message}`);
  }
}
