/** Every answer of a harness against the document, and against what holds for each of its answers beyond that. */
import type { Mismatch } from '../client/seen.ts';
import { Document } from '../run/document.ts';
import type { Answer } from './wire.ts';

export const document = new Document('harness');

const open = ['/healthz', '/readyz'];

/** Ways in which an answer is none of a harness; what says most of what is wrong comes first. */
export function violations(answer: Answer): Mismatch[] {
  const path = answer.path.split('?', 1)[0] ?? '';
  const { method, status, headers } = answer;
  const did = `answered ${method} ${path} ${status}`;
  const own: (Mismatch | false)[] = [
    !open.includes(path) &&
      !headers['turnwire-store'] && {
        did: `${did} without Turnwire-Store`,
        should: 'name its data folder',
        requirement: 'TW-ADM-001',
      },
    status === 503 &&
      path.startsWith('/agents/') &&
      method !== 'POST' && { did, should: 'answer reads', requirement: 'TW-STR-033' },
  ];
  return [...own.filter((each) => each !== false), ...document.violations(answer)];
}
