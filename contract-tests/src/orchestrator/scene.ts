/** One case at work: what it knows, what it was answered, and what that violates. */
import type { Mismatch } from '../client/seen.ts';
import { fill, type Known } from '../harness/fill.ts';
import { type Answer, send } from '../harness/wire.ts';
import { Wire } from '../report/wire.ts';
import { answerLine } from '../run/answered.ts';
import { Document } from '../run/document.ts';
import type { Affair } from './affair.ts';
import type { Call, OrchestratorCase } from './case.ts';
import type { NodeDouble } from './node-double.ts';
import type { Host } from './stage.ts';

const document = new Document('orchestrator');

export class Scene {
  readonly known: Record<string, unknown>;
  readonly mismatches: Mismatch[] = [];
  /** In every prompt of this case: by it the kit's Harness knows whose it is. */
  readonly mark: string;
  readonly wire = new Wire();
  /** Its first frame is there: what is done from now on stands in it. */
  feedIsOpen = false;
  /** By the name of their step. */
  readonly nodes = new Map<string, NodeDouble>();

  constructor(
    readonly host: Host,
    readonly of: OrchestratorCase,
  ) {
    const id = [host.nonce, of.id].filter((part) => part !== '').join('.');
    this.mark = `[kit:${id}]`;
    const { instance, placement, other, harness } = host.tokens;
    this.known = { task: `Do it. ${this.mark}`, id, instance, placement, other, harnessToken: harness };
  }

  get affair(): Affair {
    return this.host.harness.affair(this.mark);
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
  async call(call: Call): Promise<Answer> {
    const { tokens, url, answerMs } = this.host;
    const askedAt = performance.now();
    const begun = () => {
      this.feedIsOpen ||= call.forMs !== undefined;
    };
    const answer = await send(call, { baseUrl: url, token: tokens.instance, timeoutMs: answerMs, begun });
    const sent = call.json === undefined ? call.text : JSON.stringify(call.json);
    this.wire.message('kit', 'subject', `${answer.method} ${answer.path}`, sent, askedAt);
    this.wire.message('subject', 'kit', [answer.status, answer.headers['turnwire-code']].join(' ').trim(), answer.text);
    this.note(answerLine(answer));
    // What the kit itself sends is held to the document, too.
    this.mismatches.push(...document.violations(answer), ...document.ownRequest(answer));
    for (const [name, token] of Object.entries(tokens)) {
      if (answer.text.includes(token)) this.wrong(`tells the ${name} token in an answer`, 'keep it', 'TW-GEN-029');
    }
    return answer;
  }
}
