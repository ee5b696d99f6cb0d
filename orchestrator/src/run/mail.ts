/** Events for authors' actors: committed with the step that sends them, until the actor has ended (TW-DUR-026). */
import { MAIL_KEPT } from '../limits.ts';
import type { Draft } from './draft.ts';
import { asJson, type MachineEvent } from './machines.ts';

/** For an actor that runs; one that has ended hears nothing. */
export function post(draft: Draft, to: string, event: MachineEvent): void {
  draft.state.actors = draft.state.actors.map((actor) => {
    if (actor.id !== to) return actor;
    const mail = actor.mail ?? [];
    const n = (mail.at(-1)?.n ?? 0) + 1;
    return { ...actor, mail: [...mail, { n, event: asJson(event) }].slice(-MAIL_KEPT) };
  });
}
