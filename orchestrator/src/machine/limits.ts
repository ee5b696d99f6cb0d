/** Bounds of the Machine's side, with their reasons. */

/**
 * Microsteps of one step. A Machine that loops for ever in `always` would hang the process and with it every other run; no honest
 * macrostep comes near this.
 */
export const MAX_MICROSTEPS = 10_000;

/** Events that a Machine may send to itself within one step: the same loop by another way. */
export const MAX_SELF_SENDS = 1_000;
