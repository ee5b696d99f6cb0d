/**
 * What a text may not say. A model takes what looks like a failed pick for one to be made again, so a text whose outcome
 * does not invite a call must not read like an invitation (TW-OUT-016).
 */
const invitation =
  /\b(again|once more|retry|re-?send|try)\b|\byou (can|may|could|should) (call|pick|send|make|repeat)\b/i;
const refusal = /\b(do not|don't|never|cannot|must not)\b/i;
const plainSays = /\b(find out|look it up|check whether)\b/i;

/** The sentences of a template that invite a call. */
export function invitations(template: string): string[] {
  return template.split(/(?<=[.!?:])\s+|\n/).filter((sentence) => invitation.test(sentence) && !refusal.test(sentence));
}

/** What is wrong with the wording of an outcome's text, or undefined. */
export function wordingFault(code: string, row: { text: string; invites: boolean }): string | undefined {
  const inviting = invitations(row.text);
  if (!row.invites && inviting[0]) return `take out the invitation to call: "${inviting[0]}"`;
  if (row.invites && inviting.length === 0) return 'say that it can be called again, or set `invites: false`';
  if (code === 'unknown' && plainSays.test(row.text)) return 'do not claim a way to find out';
  if (code === 'not_moved' && !/^nothing moved\b[^.]*\bdo not repeat\b/i.test(row.text)) {
    return 'say first that nothing moved and not to repeat the call unchanged';
  }
  if (row.text !== row.text.trim()) return 'no white space at either end';
  return undefined;
}
