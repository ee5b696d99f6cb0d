/**
 * The SDK's own bounds, each with its reason. What peers and languages must agree on is in `protocol.constants` instead,
 * and what a seat may do in `protocol.operations`.
 */
import { protocol } from './gen/protocol.ts';

const { idleSocketMs, feedCommentMs } = protocol.constants;

/** undici's coarse timers tick about every 499 ms and fire up to one tick late: a socket must be gone by `idleSocketMs`. */
export const undiciTickMs = 500;

/** What undici is told, so that an idle socket is dropped no later than `idleSocketMs` (TW-RET-028). */
export const keepAliveMs = idleSocketMs - undiciTickMs;

/** A `Retry-After` in a seat without a window: it has nothing else that bounds it, and a wait must notice a peer's return. */
export const unboundedRetryAfterMs = 60_000;

/** A taken pick whose polls answer 200 with broken bodies: a few may be cuts, more are a peer that cannot say it. */
export const brokenReceipts = 4;

/** A history or a catch-up holds whole conversations; a peer must not fill our memory all the same. */
export const answerBytes = 64 * 1024 * 1024;

/** `setTimeout` fires at once for anything longer. */
export const longestTimerMs = 2 ** 31 - 1;

/** A feed without a frame or a comment for this long is dead: two comments were missed, and a little for the network. */
export const feedSilenceMs = 2 * feedCommentMs + 5_000;

/** Frames of a feed that wait for their reader before the socket is paused. */
export const feedBacklog = 256;

/** Members of an aggregate, all levels together: a dial has a handful of addresses, and a walk over a graph of errors must end. */
export const errorMembers = 10_000;

/** Characters of a peer's text that a fault repeats. */
export const reasonLength = 500;

/** Members of an aggregate that a fault tells of: the addresses that a name has, in practice. */
export const toldMembers = 8;

/** HTTP's own: what is below comes before the answer. */
export const firstFinalStatus = 200;
