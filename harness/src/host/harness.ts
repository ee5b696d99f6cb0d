/** The Harness without its HTTP: what the routes ask, in the words of the wire. */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { Problem } from '@turnwire/server';
import type { HiddenRecord, Prompt, Settlement, Submission } from '../conversation/state.ts';
import { abortTargets, judgeAdmission } from '../conversation/step.ts';
import { ABORT_ANSWER_MS, RETRY_AFTER_S } from '../limits.ts';
import { type DataFolder, openFolder } from '../log/folder.ts';
import { Journal } from '../log/journal.ts';
import { formatOffset } from '../log/offset.ts';
import type { Conversation } from './conversation.ts';
import { Conversations } from './conversations.ts';
import { Turns, type TurnsOptions } from './turns.ts';

export interface HarnessOptions extends TurnsOptions {
  readonly dataDir: string;
  readonly keepMs: number;
  /** Ends the process: a write failed (TW-DUR-009). */
  readonly fail: (error: unknown) => void;
}

export interface AdmissionRequest {
  readonly name: string;
  readonly iid: string;
  readonly key?: string;
  readonly digest: string;
  readonly turnId?: string;
  /** Resolves the Agent; asked only when something new would be made. @throws Problem 404 or 422 */
  readonly prompt: () => Prompt;
}

export interface Admitted {
  readonly submissionId: string;
  readonly offset: string;
  readonly replayed: boolean;
}

export class Harness {
  readonly folder: DataFolder;
  readonly journal: Journal;
  readonly conversations: Conversations;
  readonly turns: Turns;
  /** Aborted when it begins to drain: no admission is taken after that (TW-DRN-001). */
  readonly draining = new AbortController();
  /** Aborted when parked reads have to end. */
  readonly closing = new AbortController();

  /** Opens a folder that this process holds. Nothing runs before `recover`. */
  constructor(readonly options: HarnessOptions) {
    // Every request that is under way listens to them: many are no leak.
    setMaxListeners(0, this.draining.signal, this.closing.signal);
    this.folder = openFolder(options.dataDir);
    this.journal = new Journal(options.fail, this.folder.identity.verify);
    this.turns = new Turns(options);
    this.conversations = new Conversations({
      folder: this.folder,
      journal: this.journal,
      perform: this.turns.perform,
      now: () => options.clock.now(),
      keepMs: options.keepMs,
      damaged: (error) => options.log.error({ err: error }, 'a conversation cannot be read; it is answered 410'),
    });
  }

  recover(): void {
    this.conversations.recover();
  }

  /** Admits a prompt: on disk before it resolves. @throws Problem 404, 409, 410, 422, 429, 503 */
  async admit(request: AdmissionRequest): Promise<Admitted> {
    const { name, iid, key, digest, turnId } = request;
    if (this.draining.signal.aborted) throw drainingProblem();
    const opened = this.conversations.open(name, iid);
    if ('damaged' in opened) throw new Problem('stream_gone', `the log of conversation ${iid} cannot be read`);
    const { conversation, fresh } = opened;
    const judged = judgeAdmission(conversation.state, key, digest);
    if (judged.verdict === 'mismatch') {
      throw new Problem('idempotency_mismatch', 'this Idempotency-Key was used in this conversation with another body');
    }
    let submissionId: string;
    if (judged.verdict === 'replayed') submissionId = judged.submissionId;
    else {
      const prompt = request.prompt();
      if (!fresh && conversation.state.name !== name) throw otherAgent(conversation);
      if (judged.verdict === 'full') throw queueFull();
      submissionId = this.options.newId('sub');
      const event = {
        type: 'admit' as const,
        at: this.options.clock.now(),
        submissionId,
        digest,
        ...(key === undefined ? {} : { key }),
        ...(turnId === undefined ? {} : { turnId }),
        ...prompt,
      };
      conversation.apply(event, fresh ? [this.#created(name, iid)] : []);
      this.conversations.keep(conversation);
    }
    // A repeated key waits for the first one's write, too: what is not on disk is not acknowledged.
    await conversation.committed;
    const { incarnation } = conversation.state;
    const first = conversation.log.ranges.submission(submissionId)?.first ?? 0;
    return { submissionId, offset: formatOffset(incarnation, first), replayed: judged.verdict === 'replayed' };
  }

  /** Ends Submissions and says which it ended, after they are over (TW-ABT-001 to TW-ABT-005). */
  async abort(name: string, iid: string, fence: { submissionId?: string; turnId?: string }): Promise<string[]> {
    const opened = this.conversations.open(name, iid);
    if ('damaged' in opened) return [];
    const { conversation, fresh } = opened;
    if (!fresh && conversation.state.name !== name) return [];
    const targets = fresh ? [] : abortTargets(conversation.state, fence).map(({ submissionId }) => submissionId);
    const event = { type: 'abort' as const, at: this.options.clock.now(), ...fence };
    // Only an abort of a turn that may still come makes a conversation: it has to be remembered somewhere.
    if (!fresh) conversation.apply(event);
    else if (fence.turnId !== undefined && fence.submissionId === undefined) {
      conversation.apply(event, [this.#created(name, iid)]);
      this.conversations.keep(conversation);
    } else return [];
    await conversation.committed;
    if (targets.length > 0) await settledAll(conversation, targets, AbortSignal.timeout(ABORT_ANSWER_MS));
    return targets.filter((submissionId) => settlementOf(conversation, submissionId)?.outcome === 'aborted');
  }

  #created(name: string, iid: string): HiddenRecord {
    const at = new Date(this.options.clock.now()).toISOString();
    return { type: 'private.created', iid, name, incarnation: newIncarnation(), at };
  }
}

const newIncarnation = (): string => randomBytes(8).toString('hex');

export const drainingProblem = (): Problem =>
  new Problem('draining', 'this Harness is draining and takes no new work; nothing was queued', {
    headers: { 'retry-after': String(RETRY_AFTER_S), connection: 'close' },
  });

const queueFull = (): Problem =>
  new Problem('queue_full', 'as many Submissions as may wait in this conversation are waiting; nothing was queued', {
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  });

const otherAgent = ({ state }: Conversation): Problem =>
  new Problem('invalid', `conversation ${state.iid} belongs to the agent ${state.name}`, {
    members: { problems: [{ path: '', message: `conversation ${state.iid} belongs to the agent ${state.name}` }] },
  });

const settlementOf = (conversation: Conversation, submissionId: string): Settlement | undefined =>
  conversation.visible.settled.findLast((submission: Submission) => submission.submissionId === submissionId)
    ?.settlement;

/** Resolves when all of them are settled on disk, or when the signal says that it has been long enough. */
function settledAll(conversation: Conversation, submissionIds: readonly string[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const check = () => submissionIds.every((id) => settlementOf(conversation, id)) && done();
    const stop = conversation.watch(check);
    signal.addEventListener('abort', done);
    check();
  });
}
