/** Sends an intent: the copies of one admission, what is written down before and after each, and the hold while a node restarts. */
import { rungMs, type TurnwireFault } from '@turnwire/sdk';
import type { RestartWait } from '../executions/restart-wait.ts';
import { EFFECT_PAUSE_MS } from '../limits.ts';
import type { Effect } from '../run/owed.ts';
import type { RunEvent } from '../run/step.ts';
import { tracedCall } from '../tracing.ts';
import { sleepUntil } from './clock.ts';
import type { ShellPorts } from './effects.ts';
import type { AdmitRequest } from './harnesses.ts';
import { NotTakenByNode } from './node-admission.ts';
import { report } from './report.ts';

type Of<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>;

export class Admitting {
  readonly #ports: ShellPorts;
  readonly #faultOf: (error: unknown, signal: AbortSignal) => TurnwireFault;

  constructor(ports: ShellPorts, faultOf: (error: unknown, signal: AbortSignal) => TurnwireFault) {
    this.#ports = ports;
    this.#faultOf = faultOf;
  }

  async admit(effect: Of<'admit'>, signal: AbortSignal): Promise<void> {
    const { turnId, key, doubt, continued, placement, again } = effect;
    const { harnesses } = this.#ports;
    if (again && !(await this.#rung(effect, again, signal))) return;
    const intent = await this.#ports.intent(key);
    if (!intent || signal.aborted) return;
    const { agent, iid, body } = intent;
    const store = intent.store ?? (doubt ? undefined : harnesses.known(placement).store);
    const request = {
      ...{ placement, name: agent, iid, body, key, inDoubt: doubt },
      ...(store === undefined ? {} : { store }),
      ...(again && { windowMs: Math.max(0, again.until - this.#ports.clock.now()) }),
      onStoreChanged: continued ? 'fault' : 'resend',
      ...this.#copies(turnId, key, doubt),
    } as const;
    try {
      const admitted = await tracedCall('admission', { turnId, iid, trace: this.#ports.trace() }, (trace) =>
        harnesses.admit(request, trace === undefined ? { signal } : { signal, trace }),
      );
      await this.#spent(placement, { type: 'admitted', turnId, key, ...admitted }, signal);
    } catch (error) {
      if (error instanceof NotWanted) return;
      if (error instanceof NotTakenByNode) return this.#refused(effect, error, signal);
      const { code, certainty, message } = this.#faultOf(error, signal);
      const failed = {
        type: 'admissionFailed',
        turnId,
        key,
        code,
        certainty,
        reason: message,
        inDoubt: doubt,
      } as const;
      await this.#spent(placement, failed, signal);
    }
  }

  /** TW-EXE-011: until the record moves or its time is over, whichever is first. What is missed in between is read from the record. */
  async hold({ turnId, placement, until, learn }: Of<'hold'>, signal: AbortSignal): Promise<void> {
    const { nodes, clock } = this.#ports;
    while (!signal.aborted) {
      const waiting = nodes.watch(placement);
      try {
        const due = clock.now() >= until;
        // First, so that whoever hears of the failure finds the node down (TW-EXE-016).
        if (due && learn) await nodes.demote(placement, learn);
        await this.#spent(placement, { type: 'look', turnId }, signal);
        if (signal.aborted) return;
        await wokenOr(
          waiting.woken,
          (ended) => sleepUntil(clock, Math.max(until, clock.now() + EFFECT_PAUSE_MS * Number(due)), ended),
          signal,
        );
      } finally {
        waiting.end();
      }
    }
  }

  /** One rung of the ladder; another process that registers meanwhile is asked at once. @returns whether to send now */
  async #rung(effect: Of<'admit'>, again: NonNullable<Of<'admit'>['again']>, signal: AbortSignal): Promise<boolean> {
    const { nodes, clock, random } = this.#ports;
    const { at, rung, until, tried } = again;
    const due = Math.min(at + rungMs(rung, random), until);
    for (;;) {
      const waiting = nodes.watch(effect.placement);
      try {
        const node = nodes.get(effect.placement);
        if (node?.health === 'inactive' || node === undefined || clock.now() >= until)
          await this.#spent(effect.placement, { type: 'look', turnId: effect.turnId }, signal);
        if (signal.aborted) return false;
        if (node !== undefined && node.instanceId !== tried.instanceId) return true;
        if (clock.now() >= due) return clock.now() < until;
        await wokenOr(waiting.woken, (ended) => sleepUntil(clock, due, ended), signal);
      } finally {
        waiting.end();
      }
    }
  }

  #refused(effect: Of<'admit'>, { refusal }: NotTakenByNode, signal: AbortSignal): Promise<void> {
    const { turnId, key, placement } = effect;
    return this.#spent(placement, { type: 'refused', turnId, key, ...refusal }, signal);
  }

  /** Reports, and says what re-sending cost when the wait is over with it (TW-RET-022). */
  async #spent(placement: string, event: RunEvent, signal: AbortSignal): Promise<void> {
    const spent = await report<RestartWait | undefined>(this.#ports, event, signal);
    if (spent) this.#tellCost(placement, spent, event.type === 'admitted');
  }

  #tellCost(placement: string, { attempts: failed, since, last }: RestartWait, ok: boolean): void {
    const { clock, harnesses, log, absorbed } = this.#ports;
    absorbed(ok);
    const attempts = ok ? failed + 1 : failed;
    const url = harnesses.known(placement).baseUrl ?? placement;
    const ms = clock.now() - since;
    log(`turnwire.routability seat=admission attempts=${attempts} ms=${ms} last=${last} url=${url}`, {
      ...{ seat: 'admission', attempts, ms, last, url, ok, placement },
    });
  }

  /**
   * That a copy may have left is committed before its first byte, and that none was taken as soon as that is proved: a restart
   * knows which intents are in doubt (TW-DUR-014, TW-DUR-025). The events of one run are taken in the order in which they come.
   */
  #copies(turnId: string, key: string, doubt: boolean): Pick<AdmitRequest, 'beforeSend' | 'onRetry'> {
    const { submit, log } = this.#ports;
    let inDoubt = doubt;
    return {
      beforeSend: async (store) => {
        const named = store === undefined ? {} : { store };
        if (!(await submit<boolean>({ type: 'dispatch', turnId, key, ...named }))) throw new NotWanted();
      },
      onRetry: (certainty) => {
        inDoubt ||= certainty === 'unknown' || certainty === 'delivered';
        if (inDoubt) return;
        submit({ type: 'notTaken', turnId, key }).catch((error: unknown) =>
          log('that an admission was not taken could not be written', { turnId, reason: String(error) }),
        );
      },
    };
  }
}

/** The turn was over before a copy left. */
class NotWanted extends Error {}

/** Whichever is first: somebody wakes, or the sleep is over. The sleep leaves nothing behind. */
async function wokenOr(
  woken: Promise<void>,
  sleep: (ended: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  await Promise.race([woken, sleep(controller.signal)]);
  signal.removeEventListener('abort', abort);
  abort();
}
