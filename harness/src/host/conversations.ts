/** Every conversation of the data folder: the live ones in memory, the others on disk until they are asked for. */
import { evolve } from '../conversation/evolve.ts';
import { type ConversationState, emptyConversation } from '../conversation/state.ts';
import { SWEEP_MS, TOMBSTONE_KEEP_MS, UNLOAD_MS } from '../limits.ts';
import { encodeBlock } from '../log/block.ts';
import { conversationFile, type DataFolder, logFiles, removeFile, replaceFile } from '../log/folder.ts';
import { type Journal, syncFolder } from '../log/journal.ts';
import { DamagedLog, LogFile } from '../log/log-file.ts';
import { Conversation, type Perform } from './conversation.ts';

export type Found =
  | { readonly is: 'here'; readonly conversation: Conversation }
  | { readonly is: 'unknown' }
  /** Freed, or damaged: 410 for a reader. */
  | { readonly is: 'gone'; readonly why: 'freed' | 'damaged' };

export interface ConversationsOptions {
  readonly folder: DataFolder;
  readonly journal: Journal;
  readonly perform: Perform;
  readonly now: () => number;
  /** Milliseconds that a conversation is kept after its last settlement (TW-DUR-010). */
  readonly keepMs: number;
  readonly damaged: (error: DamagedLog) => void;
}

/** What is remembered of a log that is not in memory: when something is due. */
interface Resting {
  readonly iid: string;
  readonly due: number;
}

export class Conversations {
  readonly #here = new Map<string, Conversation>();
  readonly #resting = new Map<string, Resting>();
  readonly #damaged = new Set<string>();
  #sweeper: NodeJS.Timeout | undefined;

  constructor(readonly options: ConversationsOptions) {}

  /** Reads every log; what was at work goes on or is settled as the restart rules say (TW-DUR-003 to TW-DUR-007). */
  recover(): void {
    for (const path of logFiles(this.options.folder)) {
      const conversation = this.#load(path);
      if (!conversation) continue;
      if (conversation.state.live.length > 0) {
        this.#here.set(conversation.state.iid, conversation);
        conversation.apply({ type: 'restart', at: this.options.now() });
      } else this.#rest(conversation);
    }
    this.#sweeper = setInterval(() => this.#look(), SWEEP_MS);
    this.#sweeper.unref();
  }

  /** A conversation that was admitted to, under the agent's name that it was admitted with. */
  find(name: string, iid: string): Found {
    const found = this.#find(iid);
    if (found.is !== 'here') return found;
    const state = found.conversation.visible;
    if (state.freed) return { is: 'gone', why: 'freed' };
    // An abort may have come before any admission: to readers there is no conversation yet.
    const begun = state.settled.length + state.live.length > 0;
    return begun && state.name === name ? found : { is: 'unknown' };
  }

  /** For a write: the conversation as it is, or a new one, of which nothing is on disk until something is applied. */
  open(name: string, iid: string): { conversation: Conversation; fresh: boolean } | { damaged: true } {
    const found = this.#find(iid);
    if (found.is === 'gone') return { damaged: true };
    if (found.is === 'here')
      return { conversation: found.conversation, fresh: found.conversation.state.freed === true };
    const log = LogFile.create(conversationFile(this.options.folder.conversations, iid));
    return { conversation: this.#shell(emptyConversation(iid, name, ''), log), fresh: true };
  }

  /** Keeps a conversation that something is about to be applied to. */
  keep(conversation: Conversation): void {
    this.#here.set(conversation.state.iid, conversation);
    this.#resting.delete(conversation.log.path);
  }

  get loaded(): Iterable<Conversation> {
    return this.#here.values();
  }

  get damagedCount(): number {
    return this.#damaged.size;
  }

  /** One that is idle finds out as well that its folder is gone. */
  #look(): void {
    const { folder, journal } = this.options;
    try {
      folder.identity.verify();
    } catch (error) {
      journal.fail(error);
      return;
    }
    this.sweep();
  }

  /** Puts idle conversations to rest and frees what is due. */
  sweep(): void {
    const now = this.options.now();
    for (const conversation of [...this.#here.values()]) {
      if (!conversation.restful) continue;
      if (this.#due(conversation.state) <= now) conversation.leave();
      else if (conversation.watched || now - conversation.lastUsed < UNLOAD_MS) continue;
      this.#rest(conversation);
    }
    for (const [path, { iid, due }] of [...this.#resting]) if (due <= now) this.#free(path, iid);
  }

  close(): void {
    clearInterval(this.#sweeper);
    this.options.folder.identity.close();
    for (const conversation of this.#here.values()) conversation.log.close();
  }

  #find(iid: string): Found {
    const here = this.#here.get(iid);
    if (here) return { is: 'here', conversation: here };
    const path = conversationFile(this.options.folder.conversations, iid);
    if (this.#damaged.has(path)) return { is: 'gone', why: 'damaged' };
    if (!this.#resting.has(path)) return { is: 'unknown' };
    const conversation = this.#load(path);
    if (!conversation) return this.#damaged.has(path) ? { is: 'gone', why: 'damaged' } : { is: 'unknown' };
    this.keep(conversation);
    return { is: 'here', conversation };
  }

  #load(path: string): Conversation | undefined {
    let state = emptyConversation('', '', '');
    try {
      const log = LogFile.open(path, (record) => {
        state = evolve(state, record);
      });
      if (log.next > 0) return this.#shell(state, log);
      // Its first write was torn: nothing of it was ever acknowledged.
      removeFile(path);
    } catch (error) {
      const damage = error instanceof DamagedLog ? error : new DamagedLog(`${path} cannot be read: ${String(error)}`);
      this.#damaged.add(path);
      this.options.damaged(damage);
    }
    return undefined;
  }

  #shell(state: ConversationState, log: LogFile): Conversation {
    return new Conversation(state, log, this.options.journal, this.options.perform, this.options.now());
  }

  #rest(conversation: Conversation): void {
    conversation.log.close();
    this.#here.delete(conversation.state.iid);
    this.#resting.set(conversation.log.path, { iid: conversation.state.iid, due: this.#due(conversation.state) });
  }

  /** When a settled conversation is freed, a freed one forgotten, and one that only remembers aborts dropped. */
  #due({ freed, settledAt = 0, settled, fences }: ConversationState): number {
    if (freed) return settledAt + TOMBSTONE_KEEP_MS;
    return settled.length > 0 ? settledAt + this.options.keepMs : Math.max(0, ...fences.map(({ until }) => until));
  }

  #free(path: string, iid: string): void {
    const conversation = this.#load(path);
    this.#resting.delete(path);
    if (!conversation) return;
    const { name, freed, settled } = conversation.state;
    if (freed || settled.length === 0) {
      removeFile(path);
      return;
    }
    const now = this.options.now();
    replaceFile(path, encodeBlock([{ type: 'private.freed', iid, name, at: new Date(now).toISOString() }]));
    syncFolder(this.options.folder.conversations);
    this.#resting.set(path, { iid, due: now + TOMBSTONE_KEEP_MS });
  }
}
