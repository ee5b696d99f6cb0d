/** The shell of one run: performs what its ledger owes, after the commit, and reports back as events. */
import { type Certainty, rungMs, TurnwireFault } from '@turnwire/sdk';
import type { CustomAction, Machines, Workflow } from '../run/machines.ts';
import type { Effect } from '../run/owed.ts';
import type { IntentRow } from '../run/rows.ts';
import type { Act, Letter } from '../run/state.ts';
import type { RunEvent } from '../run/step.ts';
import { tracedCall } from '../tracing.ts';
import { ActorShell } from './actor-shell.ts';
import { Admitting } from './admitting.ts';
import { sleepUntil } from './clock.ts';
import type { Call, Harnesses } from './harnesses.ts';
import type { NodeWatch } from './node-watch.ts';
import { type ReportPorts, report } from './report.ts';

export interface ShellPorts extends ReportPorts {
  machines: Machines;
  workflow: () => Workflow;
  harnesses: Harnesses;
  nodes: NodeWatch;
  /** An admission needed more than one attempt at a node, and is over. */
  absorbed(ok: boolean): void;
  /** The stream of a turn answered. */
  answered(turnId: string): void;
  random: () => number;
  trace(): string | undefined;
  intent(key: string): Promise<IntentRow | undefined>;
  act(id: string): Act | undefined;
  /** What the machine sent to this start of an author's actor. */
  mail(key: string): readonly Letter[];
  /** The author's actions of an act, if this process took the step. */
  actions(act: string): readonly CustomAction[] | undefined;
  snapshot: () => Parameters<Machines['invocations']>[1];
  log(message: string, members: Record<string, unknown>): void;
}

type Of<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>;

export class Shell {
  readonly actors: ActorShell;
  readonly #admitting: Admitting;
  readonly #ports: ShellPorts;

  constructor(ports: ShellPorts) {
    this.#ports = ports;
    this.actors = new ActorShell(ports);
    this.#admitting = new Admitting(ports, faultOf);
  }

  readonly perform = async (effect: Effect, signal: AbortSignal): Promise<void> => {
    switch (effect.kind) {
      case 'admit':
        return this.#admitting.admit(effect, signal);
      case 'hold':
        return this.#admitting.hold(effect, signal);
      case 'wait':
        return this.#wait(effect, signal);
      case 'abort':
        return this.#abort(effect, signal);
      case 'unblock':
        await this.#at(effect.at, signal, { type: 'blockedTooLong', turnId: effect.turnId });
        return;
      case 'timer':
        await this.#at(effect.at, signal, { type: 'timer', id: effect.deadline, at: effect.at });
        return;
      case 'actor':
        return this.actors.run(effect, signal);
      case 'act':
        return this.actors.act(effect.act, signal);
    }
  };

  /** TW-DUR-015. */
  async #at(at: number, signal: AbortSignal, event: RunEvent): Promise<void> {
    await sleepUntil(this.#ports.clock, at, signal);
    if (!signal.aborted) await this.#ports.submit(event);
  }

  async #wait(effect: Of<'wait'>, signal: AbortSignal): Promise<void> {
    const { harnesses, answered } = this.#ports;
    const { turnId, placement, path, offset, submissionId, address } = effect;
    const at = { path, offset, ...(address === undefined ? {} : { address }) };
    try {
      const settlement = await harnesses.wait(placement, at, callOf(signal, this.#ports.trace()), () =>
        answered(turnId),
      );
      await this.#report({ type: 'settled', turnId, submissionId, settlement }, signal);
    } catch (error) {
      const { code, message } = faultOf(error, signal);
      await this.#report({ type: 'streamFailed', turnId, submissionId, code, reason: message }, signal);
    }
  }

  /** TW-RUN-014: until it is acknowledged. One that must not be sent twice was sent once. */
  async #abort(effect: Of<'abort'>, signal: AbortSignal): Promise<void> {
    const { harnesses, clock, random } = this.#ports;
    const { turnId, placement, submissionId } = effect;
    await sleepUntil(clock, effect.at, signal);
    let inDoubt = effect.doubt;
    for (let rung = 0; !signal.aborted; rung += 1) {
      const { fencedAbort } = harnesses.known(placement);
      // TW-RET-015: a second copy would end what was admitted since, where fences are not honoured.
      if (inDoubt && fencedAbort === false) break;
      if (!inDoubt || fencedAbort) {
        const certainty = await this.#abortOnce(effect, signal);
        if (certainty === undefined) break;
        inDoubt ||= certainty === 'unknown' || certainty === 'delivered';
      }
      await clock.sleep(rungMs(rung, random), signal);
    }
    await this.#report({ type: 'aborted', turnId, fence: submissionId ?? turnId }, signal);
  }

  /** @returns what is proved of the copy; nothing when there is no more to do */
  async #abortOnce(effect: Of<'abort'>, signal: AbortSignal): Promise<Certainty | undefined> {
    const { harnesses, submit, log } = this.#ports;
    const { turnId, agent, iid, placement, submissionId, address } = effect;
    const at = address === undefined ? {} : { address };
    const fence = submissionId === undefined ? { turnId } : { submissionId };
    const fenced = harnesses.known(placement).fencedAbort === true;
    // That it may have left is committed first: what continues the conversation must not be ended by it.
    if (!fenced && !(await submit<boolean>({ type: 'aborting', turnId, doubt: true }))) return undefined;
    try {
      const request = { placement, name: agent, iid, ...fence, ...at };
      await this.#traced('abort', { turnId, iid }, signal, (call) => harnesses.abort(request, call));
      return undefined;
    } catch (error) {
      const { certainty, message } = faultOf(error, signal);
      log('an owed abort was not acknowledged', { turnId, iid, reason: message });
      const arrived = certainty === 'unknown' || certainty === 'delivered';
      if (!fenced && !arrived) await submit({ type: 'aborting', turnId, doubt: false });
      return certainty;
    }
  }

  async #report(event: RunEvent, signal: AbortSignal): Promise<void> {
    await report(this.#ports, event, signal);
  }

  #traced<T>(
    name: Parameters<typeof tracedCall>[0],
    of: { turnId: string; iid: string },
    signal: AbortSignal,
    work: (call: Call) => Promise<T>,
  ): Promise<T> {
    return tracedCall(name, { ...of, trace: this.#ports.trace() }, (trace) => work(callOf(signal, trace)));
  }
}

const callOf = (signal: AbortSignal, trace: string | undefined): Call =>
  trace === undefined ? { signal } : { signal, trace };

/** What the Harness's side said. Anything else, and whatever comes after we gave the call up, is no knowledge of it. */
function faultOf(error: unknown, signal: AbortSignal): TurnwireFault {
  if (error instanceof TurnwireFault && !signal.aborted && error.code !== 'aborted') return error;
  throw error;
}
