/** What the kit says of a custodian that is wrong in one way. */
import type { Difference } from '../../broken/bundle.ts';
import { expectCaught } from '../run/caught.fixture.ts';
import { nodeEngine, usual } from './engines.fixture.ts';
import { runCustodian } from './run.ts';

/** Milliseconds that these may wait for an answer; the two checks that hold one for longer wait as ever. */
const answerMs = 8_000;
const patient = ['bodies.held_poll', 'bodies.late_pick'];

export async function caught(difference: Difference): Promise<void> {
  const only = difference.caughtBy;
  const hasted = only.some((id) => patient.includes(id)) ? {} : { answerMs };
  const command = await nodeEngine(difference);
  expectCaught(difference, await runCustodian({ ...usual, ...hasted, command, only }));
}
