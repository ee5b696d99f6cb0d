/** One case at work: its conversation at the subject, what it was answered, and what that violates. */
import type { Mismatch } from '../client/seen.ts';
import { markOf } from '../doubles/model.ts';
import { Wire } from '../report/wire.ts';
import { answerLine } from '../run/answered.ts';
import type { Admission, Call, HarnessCase } from './case.ts';
import { contractBody } from './contract-agent.ts';
import { fill, type Known } from './fill.ts';
import type { Host, Stage } from './stage.ts';
import { document, violations } from './validity.ts';
import { type Answer, send } from './wire.ts';

/** The usual agent: small, and a model that the kit plays. */
export const usualDefinition = {
  model: 'openai-compatible/scripted',
  instructions: 'You are held to a contract. Do what the script says.',
};

export class Conversation {
  readonly known: Record<string, unknown>;
  readonly mismatches: Mismatch[] = [];
  readonly wire = new Wire();

  constructor(
    readonly stage: Stage,
    readonly host: Host,
    readonly of: HarnessCase,
    readonly iid: string,
  ) {
    this.known = { iid, mark: markOf(iid), token: stage.token };
  }

  /** The agent of its conversation, as a path names it. */
  get agent(): string {
    return this.stage.options.contractAgent ? 'contract' : 'coder';
  }

  fill<T>(value: T): T {
    return fill(value, { ...this.known, base: this.host.url } as Known);
  }

  note(line: string): void {
    this.wire.note(line);
  }

  wrong(did: string, should: string, requirement?: string): void {
    this.mismatches.push({ did, should, ...(requirement === undefined ? {} : { requirement }) });
  }

  /** Sends a request; its answer is held against the document. @throws NoAnswer */
  call(call: Call): Promise<Answer> {
    return this.callAt(this.host.url, call);
  }

  /** The same at another process of the subject. @throws NoAnswer */
  async callAt(baseUrl: string, call: Call): Promise<Answer> {
    const { token } = this.stage;
    const askedAt = performance.now();
    const answer = await send(call, { baseUrl, token, timeoutMs: this.stage.answerMs });
    const sent = call.json === undefined ? call.text : JSON.stringify(call.json);
    this.wire.message('kit', 'subject', `${answer.method} ${answer.path}`, sent, askedAt);
    this.wire.message('subject', 'kit', [answer.status, answer.headers['turnwire-code']].join(' ').trim(), answer.text);
    this.note(answerLine(answer));
    // What the kit itself sends is held to the document, too.
    this.mismatches.push(...violations(answer), ...document.ownRequest(answer));
    if (answer.text.includes(token)) this.wrong('tells its token in an answer', 'keep it', 'TW-GEN-029');
    return answer;
  }

  admit(admission: Admission): Promise<Answer> {
    const { message = 'go', key, name = this.agent, iid = this.iid, body = {}, headers = {}, token } = admission;
    const mark = markOf(this.iid);
    const usual = this.stage.options.contractAgent
      ? contractBody(this.fill(this.of.model), message, mark)
      : { message: `${message} ${mark}`, definition: usualDefinition };
    const json = Object.fromEntries(Object.entries({ ...usual, ...body }).filter(([, value]) => value !== null));
    return this.call({
      method: 'POST',
      path: `/agents/${name}/${iid}`,
      json,
      headers: { ...(key === undefined ? {} : { 'idempotency-key': key }), ...headers },
      ...(token === undefined ? {} : { token }),
    });
  }
}
