/** How long a caller wants to wait for an answer: RFC 7240 `Prefer` (TW-EXE-023). */
import { protocol } from '@turnwire/sdk';

export interface Preference {
  seconds: number;
  /** What `Preference-Applied` says, where something was asked for and understood. */
  applied?: string;
}

/** Of a preference that is named twice the first counts; what is not understood is as good as not said. */
export function preferenceOf(header: string | undefined): Preference {
  const longest = protocol.constants.pollWaitSeconds;
  const said = new Map<string, string>();
  for (const [name, value] of preferences(header ?? '')) if (!said.has(name)) said.set(name, value);
  const wait = said.get('wait');
  if (wait !== undefined && /^\d+$/.test(wait)) {
    const seconds = Math.min(Number(wait), longest);
    return { seconds, applied: `wait=${seconds}` };
  }
  return said.has('respond-async') ? { seconds: 0, applied: 'respond-async' } : { seconds: longest };
}

/** `name`, `name=value`, `name="value"`; parameters after a semicolon are no business of ours. */
function preferences(header: string): [string, string][] {
  // A comma within quotes parts nothing.
  const each = header.match(/(?:[^,"]|"(?:\\.|[^"\\])*"?)+/g) ?? [];
  return each.map((preference) => {
    const [named = ''] = preference.split(';');
    const at = named.indexOf('=');
    const name = (at === -1 ? named : named.slice(0, at)).trim().toLowerCase();
    const value = at === -1 ? '' : named.slice(at + 1).trim();
    return [name, value.replace(/^"(.*)"$/, '$1')];
  });
}
