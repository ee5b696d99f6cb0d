/** Checks whose sequence data cannot say; a case names one in a step. */
import { everyAnswer } from './programs/documented.ts';
import { namedTheLookup } from './programs/flags.ts';
import { idleRace } from './programs/idle-race.ts';
import { eachPickOnce, parkedPolls, slowPeers, thousandIdle } from './programs/load.ts';
import { logIsClean, loopbackAlone } from './programs/process.ts';
import { allGone, bothGone, fourInOrder, largeHeads, takesNewToken } from './programs/wire.ts';
import type { Scene } from './scene.ts';

export type Program = (in_: Scene) => Promise<void>;

export const programs: Readonly<Record<string, Program>> = {
  ...{
    idle_race: idleRace,
    named_the_lookup: namedTheLookup,
    each_pick_once: eachPickOnce,
    parked_polls: parkedPolls,
    slow_peers: slowPeers,
    thousand_idle: thousandIdle,
  },
  ...{ log_is_clean: logIsClean, loopback_alone: loopbackAlone, takes_new_token: takesNewToken },
  ...{
    every_answer: everyAnswer,
    all_gone: allGone,
    both_gone: bothGone,
    four_in_order: fourInOrder,
    large_heads: largeHeads,
  },
};
