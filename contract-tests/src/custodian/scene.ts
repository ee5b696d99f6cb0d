/** One case at work: what it knows, what it was answered, and what that violates. */
import type { Mismatch } from '../client/seen.ts';
import { protocol } from '../client/spec.ts';
import { fill, type Known } from '../harness/fill.ts';
import { NoAnswer } from '../harness/wire.ts';
import { Document } from '../run/document.ts';
import { until } from '../run/until.ts';
import type { Affair } from './arrival.ts';
import type { Ask, CustodianCase } from './case.ts';
import { requestOf } from './request.ts';
import type { Host } from './stage.ts';
import { type Exchange, exchange } from './wire.ts';

/** Characters of a body that the transcript shows. */
const shown = 200;

export const document = new Document('custodian');

export class Scene {
  readonly known: Record<string, unknown>;
  readonly mismatches: Mismatch[] = [];
  readonly trace: string[] = [];
  /** In each request of this case: by it the kit's Orchestrator knows whose it is. */
  readonly mark: string;
  readonly iid: string;
  /** Port of the health of this case's own process. */
  healthPort = 0;
  readonly #startedAt = performance.now();

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
    this.trace.push(`${(performance.now() - this.#startedAt).toFixed(0).padStart(6)} ms  ${line}`);
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
    if (port === '') throw new NoAnswer('it does not listen');
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
    this.note(`${line} → ${told || (got.closed ? 'closed' : 'nothing')} in ${got.ms.toFixed(0)} ms`);
    this.#keptSecrets(got.bytes.toString('latin1'), 'an answer');
    return { ...got, arrived: this.affair.requests.length - before };
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
