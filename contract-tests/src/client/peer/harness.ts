import { canonical } from '../render.ts';
import { type Asked, type Effects, type PeerSettings, problem, type Reply } from './state.ts';

interface Kept {
  readonly body: string;
  readonly submissionId: string;
}

/** A Harness that counts: admissions by key, aborts, and one stream that ends in a Settlement. */
export class HarnessDouble {
  readonly #settings: PeerSettings;
  readonly #effects: Effects;
  readonly #keys = new Map<string, Kept>();

  constructor(settings: PeerSettings, effects: Effects) {
    this.#settings = settings;
    this.#effects = effects;
  }

  get store(): string {
    return this.#settings.store ?? 'store-1';
  }

  readonly operations: Readonly<Record<string, (asked: Asked) => Reply>> = {
    // One path, which both documents have.
    getOrchestratorInfo: () => ({ status: 200, body: this.#info() }),
    admit: (asked) => this.#admit(asked),
    readConversation: (asked) => (asked.query.get('view') === 'history' ? this.#history() : page(asked)),
    abortConversation: () => {
      this.#effects.aborts++;
      return { status: 200, body: { aborted: true, submissionIds: ['s-1'] } };
    },
  };

  #info(): object {
    const { idempotentAdmissions = true, fencedAbort = true } = this.#settings;
    const software = { name: 'turnwire-contract', version: '1' };
    const capabilities = { idempotentAdmissions, fencedAbort, submissionStreams: true };
    return { role: this.#settings.role ?? 'harness', version: '1', software, store: this.store, capabilities };
  }

  #admit({ headers, body, path, origin }: Asked): Reply {
    const expected = headers['turnwire-expect-store'];
    const key = headers['idempotency-key'];
    const honours = this.#settings.idempotentAdmissions !== false;
    if (honours && expected !== undefined && expected !== this.store) return problem(412, 'store_changed');
    const known = honours && key !== undefined ? this.#keys.get(key) : undefined;
    if (known !== undefined && known.body !== canonical(body)) return problem(409, 'idempotency_mismatch');
    const submissionId = known?.submissionId ?? `s-${this.#effects.turns + 1}`;
    if (known === undefined) this.#effects.turns++;
    if (key !== undefined) this.#keys.set(key, { body: canonical(body), submissionId });
    const streamUrl = `${origin}/agents/${path.name}/${path.iid}?view=updates&submission=${submissionId}`;
    return {
      status: 202,
      headers: known === undefined ? {} : { 'idempotency-replayed': 'true' },
      body: { streamUrl, offset: offsets[0], submissionId },
    };
  }

  #history(): Reply {
    const settlement = { outcome: 'completed' };
    const submissions = [{ submissionId: 's-1', state: 'settled', settlement }];
    return { status: 200, body: { conversationId: 'c1', incarnation: 'i', offset: offsets[4], messages, submissions } };
  }
}

const at = '2026-01-01T00:00:00Z';
const messages = [{ id: 'm-1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }];

/** The records of the one Submission, the last of which is its Settlement. */
export const records = [
  { type: 'submission.queued', submissionId: 's-1', at },
  { type: 'submission.started', submissionId: 's-1', at },
  { type: 'message.appended', submissionId: 's-1', at, message: messages[0] },
  { type: 'submission.settled', submissionId: 's-1', at, outcome: 'completed' },
];

const offsets = [0, 1, 2, 3, 4].map((index) => `i_${String(index).padStart(16, '0')}`);

/** The start by another name, which looks like none of the others: an offset is opaque (TW-ADM-012). */
const oddStart = 'A~zz.Q';

/** A catch-up brings two records a page, all but the last; a long-poll brings that, and the end. */
function page({ query }: Asked): Reply {
  const asked = query.get('offset') ?? '-1';
  const from = ['-1', oddStart].includes(asked) ? 0 : offsets.indexOf(asked);
  if (from < 0) return problem(410, 'stream_gone');
  const live = query.get('live') !== null;
  const last = live ? records.length : Math.min(from + 2, records.length - 1);
  const upToDate = last >= records.length - 1;
  const tail: Record<string, string> = { 'stream-next-offset': offsets[Math.max(from, last)] ?? '' };
  if (upToDate) tail['stream-up-to-date'] = 'true';
  if (last === records.length) tail['stream-closed'] = 'true';
  if (live) tail['stream-cursor'] = '7';
  return from >= records.length
    ? { status: 204, headers: tail }
    : { status: 200, headers: tail, body: records.slice(from, last) };
}
