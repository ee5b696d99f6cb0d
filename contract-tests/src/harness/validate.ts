/** Cases are written by people: a mistake is one clear line. */

import type { TurnPlan } from '../doubles/plan.ts';
import { turnPlan } from '../doubles/plan.ts';
import { anything, type Check, flag, list, oneOf, record, shape, text, whole } from '../shape.ts';
import type { HarnessCase } from './case.ts';
import { programs } from './programs.ts';

/** A case as it stands in its file; the theme is the file's name. */
export type WrittenCase = Omit<HarnessCase, 'theme' | 'level' | 'needs' | 'model' | 'turn'> &
  Partial<Pick<HarnessCase, 'level' | 'needs' | 'model' | 'turn'>>;

export interface WrittenFile {
  readonly about: string;
  readonly turn?: TurnPlan;
  readonly cases: readonly WrittenCase[];
}

const call = shape({
  ...{ method: text, path: text, url: text, headers: record(text), token: anything, json: anything, text },
  ...{ bytes: whole(1), sent: whole(0), nested: whole(1), until: text, forMs: whole(1) },
});
const admission = shape({
  ...{ message: text, key: text, name: text, iid: text, body: record(anything), headers: record(text) },
  ...{ copies: whole(1), token: anything },
});
const wait = shape({
  ...{ model: whole(1), picks: whole(1), polls: whole(1), surfaces: whole(1) },
  ...{ state: oneOf('queued', 'running', 'waiting', 'settled'), of: text, withinMs: whole(1) },
});
const arrived = shape({
  ...{ model: anything, sameTools: flag, picks: anything, requests: anything, surfaces: anything, polls: anything },
  afterMs: whole(1),
});

const step: Check = shape({
  ...{ as: text, expect: anything, admit: admission, call, abort: record(anything), history: record(anything) },
  follow: shape({ of: text, from: text, withinMs: whole(1) }, ['of']),
  ...{ wait, arrived, plan: turnPlan, release: flag, pause: whole(1), signal: oneOf('SIGTERM'), kill: flag },
  ...{ exit: whole(0), start: record(text), wipe: flag, run: oneOf(...Object.keys(programs)) },
});

const written = shape(
  {
    ...{ id: text, says: text, requirements: list(text), level: oneOf('must', 'should', 'may'), needs: list(text) },
    reaches: list(text),
    ...{ own: record(text), turn: turnPlan, model: list(anything), steps: list(step) },
  },
  ['id', 'says', 'requirements', 'steps'],
);

/** Throws a `ShapeError` that names the place. */
export const checkCaseFile: Check = shape({ about: text, turn: turnPlan, cases: list(written) }, ['about', 'cases']);

/** Whether a case has to control the process: it cannot share one, and cannot be asked of one that runs elsewhere. */
export const controls = ({ own, steps }: HarnessCase): boolean =>
  own !== undefined ||
  steps.some((each) => each.signal ?? each.kill ?? each.start ?? each.wipe ?? each.exit !== undefined);
