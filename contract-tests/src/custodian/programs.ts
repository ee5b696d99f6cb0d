/** Checks whose sequence data cannot say; a case names one in a step. */
import type { Scene } from './scene.ts';

export type Program = (in_: Scene) => Promise<void>;

export const programs: Readonly<Record<string, Program>> = {};
