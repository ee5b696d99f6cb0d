import { objectOf } from './ask.ts';
import type { Answer } from './certainty.ts';
import type { OutcomeCode } from './gen/protocol.ts';
import type { Outstanding, Receipt } from './wire.ts';

/** What a 2xx to a pick or a poll says: that it is answered, that it is worked on, or nothing that makes sense. */
export function readDelivery(answer: Answer): Receipt | Outstanding | undefined {
  const body = objectOf(answer);
  if (body === undefined || answer.bodyLost) return undefined;
  if (body.status === 'outstanding') return outstandingOf(body);
  return body.status === 'delivered' ? receiptOf(body) : undefined;
}

/** The outcome of a receipt. An absent `moved` is not `false` (TW-DLV-007): it was taken, and the text claims no more. */
export function receiptOutcome(receipt: Receipt): Extract<OutcomeCode, 'moved' | 'not_moved' | 'turn_complete'> {
  if (receipt.turnComplete === true) return 'turn_complete';
  return receipt.moved === false ? 'not_moved' : 'moved';
}

function outstandingOf(body: Record<string, unknown>): Outstanding | undefined {
  if (typeof body.deliveryId !== 'string') return undefined;
  return { status: 'outstanding', deliveryId: body.deliveryId, ...optional('event', body.event, isText) };
}

/** Members of another type than the wire's are as good as absent: nothing is made of them. */
function receiptOf(body: Record<string, unknown>): Receipt {
  return {
    status: 'delivered',
    ...optional('deliveryId', body.deliveryId, isText),
    ...optional('event', body.event, isText),
    ...optional('moved', body.moved, isBoolean),
    ...optional('turnComplete', body.turnComplete, isBoolean),
    ...optional('allowed', body.allowed, isNames),
    ...(body.answer === undefined ? {} : { answer: body.answer as NonNullable<Receipt['answer']> }),
    ...optional('answerError', body.answerError, isText),
    ...optional('endedBy', body.endedBy, isText),
  };
}

function optional<Name extends string, Value>(
  name: Name,
  value: unknown,
  is: (value: unknown) => value is Value,
): { [name in Name]?: Value } {
  return is(value) ? ({ [name]: value } as { [name in Name]: Value }) : {};
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
