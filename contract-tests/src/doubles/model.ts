/** The scripted model of a whole run: each conversation brings rules of its own, told apart by a mark in its messages. */

import type { Matcher, Rule } from '../model/script.ts';
import type { Model, RecordedRequest } from '../model/server.ts';
import { startModel } from '../model/server.ts';

/** Stands in every message of a conversation, so that the model knows whose request it is. */
export const markOf = (iid: string): string => `[[${iid}]]`;

export class ModelDouble {
  /** The first never holds: a script has at least one rule. */
  readonly #rules: Rule[] = [{ when: { model: { equals: '' }, step: 1_000_000 }, reply: {} }];
  #model: Model | undefined;

  /** Resolves with what goes into `OPENAI_BASE_URL`. */
  async start(port = 0): Promise<string> {
    this.#model = await startModel({ script: { rules: this.#rules }, port });
    return this.#model.baseUrl;
  }

  async close(): Promise<void> {
    await this.#model?.close();
  }

  /** Adds the rules of a conversation; one that has none is answered with a text. */
  script(iid: string, rules: readonly Rule[]): void {
    const own = [...rules, { reply: { text: 'I have nothing to pick.' } }];
    for (const rule of own) {
      const messages = [markOf(iid), ...listed(rule.when?.messages)];
      this.#rules.push({ ...rule, when: { ...rule.when, messages } });
    }
  }

  of(iid: string): RecordedRequest[] {
    return (this.#model?.requests ?? []).filter(({ body }) => JSON.stringify(body.messages).includes(markOf(iid)));
  }

  /** Requests that belong to no conversation of the kit. */
  get all(): readonly RecordedRequest[] {
    return this.#model?.requests ?? [];
  }
}

const listed = (matcher: Matcher | undefined) =>
  matcher === undefined ? [] : Array.isArray(matcher) ? matcher : [matcher as string];
