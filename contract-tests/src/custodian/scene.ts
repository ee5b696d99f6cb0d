/** One case at work: what it knows, what it was answered, and what that violates. */
import type { Mismatch } from '../client/seen.ts';
import { protocol } from '../client/spec.ts';
import { fill, type Known } from '../harness/fill.ts';
import { NoAnswer } from '../harness/wire.ts';
import { Wire } from '../report/wire.ts';
import { Document } from '../run/document.ts';
import { until } from '../run/until.ts';
import type { Affair } from './arrival.ts';
import type { Ask, CustodianCase } from './case.ts';
import { type Asked, isPlain, requestOf, sentOf } from './request.ts';
import type { Host } from './stage.ts';
import { type Exchange, exchange } from './wire.ts';

/** Characters of a body that the transcript shows. */
const shown = 200;

export const document = new Document('custodian');

export class Scene {
  readonly known: Record<string, unknown>;
  readonly mismatches: Mismatch[] = [];
  /** In each request of this case: by it the kit's Orchestrator knows whose it is. */
  readonly mark: string;
  readonly iid: string;
  /** Port of the health of this case's own process. */
  healthPort = 0;
  readonly wire = new Wire();
  /** Every request until now was well-formed by the kit. */
  #allPlain = true;

  constructor(
    readonly host: Host,
    readonly of: CustodianCase,
  ) {
    this.iid = `kit-${of.id}--`;
    this.mark = `kit/1 (${this.iid})`;
    this.known = { iid: this.iid, mark: this.mark, standIn: protocol.custodian.standIn, placement: host.placement };
  }

  get affair(): Affair {
    return this.host.upstream.affair(this.iid);
  }

  fill<T>(value: T): T {
    const { url, token, upstream } = this.host;
    const upstreamAddress = upstream.address;
    const upstreamPort = String(upstream.port);
    const own = { base: url, token, upstreamAddress, upstreamPort, healthPort: String(this.healthPort) };
    return fill(value, { ...this.known, ...own } as Known);
  }

  note(line: string): void {
    this.wire.note(line);
  }

  wrong(did: string, should: string, requirement?: string): void {
    this.mismatches.push({ did, should, ...(requirement === undefined ? {} : { requirement }) });
  }

  /**
   * Sends a request over a connection of its own, and goes away when `leaveWhen` says so.
   * @throws NoAnswer when it cannot be connected to
   */
  async exchange(ask: Ask, leaveWhen?: Promise<void>): Promise<Exchange & { readonly arrived: number }> {
    const asked = requestOf(ask, { ...this, standIn: protocol.custodian.standIn, placement: this.host.placement });
    const { hostname, port } = new URL(this.host.url);
    const { answerMs } = this.host;
    if (port === '') throw new NoAnswer('does not listen');
    const before = this.affair.requests.length;
    const got = await exchange(asked, ask, {
      host: hostname,
      port: ask.health ? this.healthPort : Number(port),
      timeoutMs: answerMs,
      leaveWhen: async () => {
        if (leaveWhen) await leaveWhen;
        else await until(() => this.affair.requests.length > before, answerMs);
      },
      leaves: leaveWhen !== undefined || ask.leave === 'arrived',
    });
    const told = got.answers.map(({ status, text }) => `${status} ${text.slice(0, shown)}`).join(' | ');
    const line = asked.head.toString('latin1').split('\r\n', 1)[0]?.slice(0, shown);
    this.#draw(asked, got);
    this.#holdToTheDocument(ask, asked, got);
    this.note(`${line} → ${told || (got.closed ? 'closed' : 'nothing')} in ${got.ms.toFixed(0)} ms`);
    this.#keptSecrets(got.bytes.toString('latin1'), 'an answer');
    return { ...got, arrived: this.affair.requests.length - before };
  }

  #draw({ method, target, pieces }: Asked, { answers, closed, ms, startedAt }: Exchange): void {
    const body = Buffer.concat([...pieces]).toString('latin1', 0, shown);
    this.wire.message('harness', 'subject', `${method} ${target}`, body, startedAt);
    for (const answer of answers) {
      const label = [answer.status, answer.headers['turnwire-code'], answer.whole ? '' : '(not whole)'];
      this.wire.message('subject', 'harness', label.filter(Boolean).join(' '), answer.text, startedAt + answer.ms);
    }
    if (answers.length === 0)
      this.wire.message('subject', 'harness', closed ? 'closes' : 'no answer', undefined, startedAt + ms);
  }

  /** What the kit sends is held to the document like anything else, unless it is wrong on purpose. */
  #holdToTheDocument(ask: Ask, asked: Asked, { answers }: Exchange): void {
    const [answer] = answers;
    const sent = isPlain(ask) ? sentOf(asked) : undefined;
    this.#allPlain &&= sent !== undefined && document.requestViolations(sent).length === 0;
    if (answer && sent) this.mismatches.push(...document.ownRequest({ ...answer, sent }));
  }

  /** What came to the kit's Orchestrator, and what that answered. */
  upstreamSeen(): void {
    for (const arrival of this.affair.requests) {
      const { at, method, target, state, body, reply, fate, sent } = arrival;
      const label = `${method} ${target}${state === 'whole' ? '' : `, ${state}`}`;
      this.wire.message('subject', 'orchestrator', label, body.toString('latin1', 0, shown), at);
      if (fate) this.wire.message('orchestrator', 'subject', fate.says, reply?.text, fate.at);
      this.wire.note(`it sent upstream ${arrival.line}: ${fate?.says ?? 'not answered'}`, at);
      const odd = document.requestViolations(sent);
      // What should never have been sent upstream has no answer that a document knows.
      if (reply && odd.length === 0) this.mismatches.push(...document.ownViolations(reply));
      if (this.#allPlain && state === 'whole') this.mismatches.push(...odd);
    }
  }

  /** No token that the subject ever held shows where a Harness or a reader of logs can see it. */
  #keptSecrets(text: string, where: string): void {
    if (this.host.secrets.some((secret) => text.includes(secret.split('.')[1] as string)))
      this.wrong(`told the placement token in ${where}`, 'keep it', 'TW-GEN-029');
  }

  keptSecretsInLog(): void {
    this.#keptSecrets(this.host.written, 'its log');
  }
}
