/** Positions in a conversation's log, as readers see them: `<incarnation>_<16-digit index>` (TW-STR-026). */

const DIGITS = 16;

export const formatOffset = (incarnation: string, index: number): string =>
  `${incarnation}_${String(index).padStart(DIGITS, '0')}`;

/** The parts of an offset of ours; undefined when it is none. */
export function parseOffset(text: string): { incarnation: string; index: number } | undefined {
  const [, incarnation, digits] = /^([a-z0-9]{1,64})_(\d{16})$/.exec(text) ?? [];
  if (incarnation === undefined || digits === undefined) return undefined;
  const index = Number(digits);
  return Number.isSafeInteger(index) ? { incarnation, index } : undefined;
}
