/** What the kit's Orchestrator says to a Harness in one conversation: data of a case. */
import { anything, either, flag, isRecord, list, shape, text, whole } from '../shape.ts';

export interface MenuItem {
  readonly name: string;
  readonly description?: string;
  readonly input: unknown;
}

/** An answer that is an error of ours. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** How many of the first requests get it; every one when absent. */
  readonly times?: number;
  /** Further members of the problem. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The n-th read of the surface; the last one stands for all that follow. */
export interface SurfaceAnswer {
  readonly turnId?: string;
  readonly allowed?: readonly string[];
  readonly menu?: readonly MenuItem[];
  readonly refuse?: Refusal;
  /** Accepted and never answered. */
  readonly hang?: boolean;
}

/** What becomes of the n-th pick; the last one stands for all that follow. */
export interface PickAnswer {
  /** Laid over the usual receipt; a null takes a field away. */
  readonly receipt?: Readonly<Record<string, unknown>>;
  /** Outstanding until that many polls were answered so, or until the case releases it. */
  readonly outstanding?: number | 'until_released';
  /** It is not taken. */
  readonly refuse?: Refusal;
  /** It is taken, and the connection is cut in place of the answer, for so many copies. */
  readonly lose?: number;
  /** It is taken and never answered; polls are. */
  readonly hang?: boolean;
  /** It is not taken and never answered; polls say that it was not taken so far. */
  readonly swallow?: boolean;
}

export interface TurnPlan {
  readonly turnId?: string;
  readonly menu?: readonly MenuItem[];
  readonly allowed?: readonly string[];
  readonly clientDeliveryIds?: boolean;
  readonly surface?: readonly SurfaceAnswer[];
  readonly picks?: readonly PickAnswer[];
}

const refusal = shape({ status: whole(400), code: text, times: whole(1), more: anything }, ['status', 'code']);
const menuItem = shape({ name: text, description: text, input: anything }, ['name', 'input']);
const notRefused = isRecord;

/** Checks a plan that somebody wrote. */
export const turnPlan = shape({
  turnId: text,
  menu: list(menuItem),
  allowed: list(text),
  clientDeliveryIds: flag,
  surface: list(shape({ turnId: text, allowed: list(text), menu: list(menuItem), refuse: refusal, hang: flag })),
  picks: list(
    shape({
      receipt: either(notRefused, anything, text),
      outstanding: either((value) => value === 'until_released', text, whole(1)),
      refuse: refusal,
      lose: whole(1),
      hang: flag,
      swallow: flag,
    }),
  ),
});

/** The menu of a conversation whose case names none; not in the order of the alphabet, so that a sorted one shows. */
export const usualMenu: readonly MenuItem[] = [
  {
    name: 'note',
    description: 'Note something down.',
    input: { type: 'object', properties: { text: { type: 'string' } } },
  },
  { name: 'approve', description: 'Approve it.', input: { type: 'object' } },
  { name: 'ask', description: 'Ask a human.', input: { type: 'object', properties: { question: { type: 'string' } } } },
];
