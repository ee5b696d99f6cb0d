/** One row of the evidence table as a real condition, and what every client must make of it. For tests only. */
import type { Agent } from 'undici';
import { expect } from 'vitest';
import { type Attempted, classify, type Verdict } from '../certainty.ts';
import type { EvidenceName } from '../gen/protocol.ts';
import type { Certainty } from '../table.ts';
import { type Client, clients } from './clients.ts';
import { type Behaviour, type Listener, listener } from './listener.ts';

/** What a client is sent to. */
export interface Target {
  readonly origin: string;
  readonly agent?: Agent.Options;
  /** Who listens there, if anybody does. */
  readonly peer?: Listener;
  readonly close?: () => Promise<void>;
}

export interface Condition {
  readonly target: () => Promise<Target>;
  /** Several where the moment decides. */
  readonly certainty: Certainty | readonly Certainty[];
  /** By which name; several where clients learn different things. */
  readonly evidence?: readonly EvidenceName[];
  readonly permanent?: boolean;
  readonly code?: string;
  /** The body is not usable, although the status line came. */
  readonly bodyLost?: boolean;
  /** Milliseconds of the attempt; long enough never to matter where that is not the condition itself. */
  readonly timeoutMs?: number;
  /** Milliseconds after which the caller gives up. */
  readonly abortMs?: number;
  readonly body?: string;
  readonly warm?: number;
  /** The answer is that of a Custodian: what it proves is about the peer behind it. */
  readonly aboutAnotherPeer?: boolean;
}

/** A peer that behaves like this, over plain TCP. */
export const peer =
  (behaviour: Behaviour, agent?: Agent.Options): Condition['target'] =>
  async () => {
    const there = await listener(behaviour);
    return { origin: `http://127.0.0.1:${there.port}`, peer: there, ...(agent && { agent }) };
  };

/** A peer that reads the whole request and says this. */
export const says = (say: string, end: Behaviour['end'] = 'fin'): Condition['target'] =>
  peer({ after: 'request', say, end });

/** Brings the condition about for each client in turn, and compares the verdict with what the peer really read. */
export async function hold(condition: Condition): Promise<void> {
  await Promise.all(clients.map((client) => holdFor(client, condition)));
}

async function holdFor(client: Client, condition: Condition): Promise<void> {
  const target = await condition.target();
  try {
    const { timeoutMs = 10_000, body = '{"turnId":"t1"}', warm = 0 } = condition;
    const controller = new AbortController();
    const { origin, agent } = target;
    const shot = { origin, body, timeoutMs, signal: controller.signal, warm, ...(agent && { agent }) };
    if (condition.abortMs !== undefined) setTimeout(() => controller.abort(), condition.abortMs);
    const attempted = await client.run(shot);
    const verdict = classify(attempted);
    expect([condition.certainty].flat(), client.name).toContain(verdict.certainty);
    expect(verdict, client.name).toMatchObject(expectedOf(condition));
    if (condition.evidence !== undefined) expect(condition.evidence, client.name).toContain(verdict.evidence);
    expect(isLost(attempted), client.name).toBe(condition.bodyLost ?? false);
    if (condition.aboutAnotherPeer !== true) holdAgainst(verdict, target.peer, warm, client.name);
  } finally {
    await (target.close ?? target.peer?.close)?.();
  }
}

function expectedOf({ permanent, code }: Condition): Partial<Verdict> {
  return { ...(permanent && { permanent }), ...(code && { code }) };
}

/** A body that was cut, or that is no JSON although it says so. */
function isLost({ response }: Attempted): boolean {
  if (response === undefined) return false;
  if (response.bodyLost === true) return true;
  try {
    if (typeof response.body === 'string' && response.body !== '') JSON.parse(response.body);
    return false;
  } catch {
    return true;
  }
}

/** It never claims that nothing was sent of which the peer read a byte, nor that the peer took what it did not read. */
function holdAgainst({ certainty }: Verdict, there: Listener | undefined, warm: number, client: string): void {
  if (certainty === 'never_delivered') expect(there?.read() ?? 0, client).toBe(0);
  if (certainty === 'delivered' || certainty === 'answered') expect(there?.requests(), client).toBe(warm + 1);
}
