/** The stored history in the shape that the AI SDK takes. Deterministic: the same history gives the same bytes (TW-TRN-003). */
import { type JSONSchema7, jsonSchema, type ModelMessage, type ToolSet, tool } from 'ai';
import type { MenuItem, Message, MessagePart } from '../turn/port.ts';

type Part<Type extends MessagePart['type']> = Extract<MessagePart, { type: Type }>;

const textOf = (message: Message) =>
  message.parts
    .filter((part): part is Part<'text'> => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n');

/**
 * Several text parts are joined: many OpenAI-compatible servers take a plain string alone. System messages of the
 * history are left out, the instructions are given apart.
 */
export function modelMessages(history: readonly Message[]): ModelMessage[] {
  return history.flatMap((message): ModelMessage[] => {
    if (message.role === 'user') return [{ role: 'user', content: textOf(message) }];
    if (message.role === 'tool') return toolMessages(message);
    if (message.role === 'assistant') return assistantMessages(message);
    return [];
  });
}

function assistantMessages(message: Message): ModelMessage[] {
  const text = textOf(message);
  const calls = message.parts.filter((part): part is Part<'tool-call'> => part.type === 'tool-call');
  if (text === '' && calls.length === 0) return [];
  const said = text === '' ? [] : [{ type: 'text' as const, text }];
  const called = calls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: asObject(call.input),
  }));
  return [{ role: 'assistant', content: [...said, ...called] }];
}

/** Providers take objects alone; what the model wrote and nobody could parse is shown to it as what it is. */
function asObject(input: unknown): Record<string, unknown> {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? (input as Record<string, unknown>) : { not_an_object: input };
}

function toolMessages(message: Message): ModelMessage[] {
  const results = message.parts.filter((part): part is Part<'tool-result'> => part.type === 'tool-result');
  if (results.length === 0) return [];
  return [
    {
      role: 'tool',
      content: results.map((result) => ({
        type: 'tool-result' as const,
        toolCallId: result.id,
        toolName: result.name,
        output: { type: result.isError ? ('error-text' as const) : ('text' as const), value: result.text },
      })),
    },
  ];
}

/** No `execute`: the turn loop calls the tools, one after another. */
export function modelTools(menu: readonly MenuItem[]): ToolSet {
  return Object.fromEntries(
    menu.map((item) => [
      item.name,
      tool({
        ...(item.description !== undefined && { description: item.description }),
        inputSchema: jsonSchema(item.input as JSONSchema7),
      }),
    ]),
  );
}
