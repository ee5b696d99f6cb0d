/** Cases are written by people: a mistake is one clear line. */
import { anything, type Check, flag, list, oneOf, record, shape, text, whole } from '../shape.ts';
import type { OrchestratorCase } from './case.ts';
import { nodeParts } from './node-case.ts';
import { harnessPlan } from './plan.ts';
import { programs } from './programs.ts';

const sent = { token: anything, headers: record(text), copies: whole(1) };
const call = shape({
  ...{ method: text, path: text, headers: record(text), token: anything, json: anything, text },
  ...{ bytes: whole(1), sent: whole(0), nested: whole(1), until: text, forMs: whole(1) },
});

const parts: Readonly<Record<string, Check>> = {
  ...nodeParts,
  ...{ as: text, expect: anything },
  begin: shape({ ...sent, workflow: text, input: anything, key: text }),
  admitted: whole(1),
  settle: shape({ of: text, outcome: oneOf('completed', 'failed', 'aborted'), code: text }),
  surface: shape({ ...sent, of: text, iid: text, etag: text }),
  pick: shape({
    ...sent,
    ...{ of: text, event: text, input: anything, deliveryId: text, turnId: text, iid: text, body: record(anything) },
  }),
  poll: shape({ ...sent, of: text, deliveryId: text, wait: whole(0), iid: text }, ['deliveryId']),
  gate: shape({ ...sent, run: text, gate: text, event: text, input: anything, key: text }, ['gate', 'event']),
  cancel: shape({ ...sent, run: text, reason: text }),
  view: shape({ run: text, withinMs: whole(1) }),
  feed: shape({ run: text, all: flag, forMs: whole(1), until: text }),
  arrived: shape({
    ...{ admissions: anything, submissions: anything, aborts: anything, streams: anything },
    ...{ afterMs: whole(1), withinMs: whole(1) },
  }),
  ...{
    harness: harnessPlan,
    harnessDown: flag,
    call,
    pause: whole(1),
    feedIsOpen: flag,
    signal: oneOf('SIGTERM'),
    kill: flag,
  },
  ...{ exit: whole(0), start: record(text), run: oneOf(...Object.keys(programs)) },
};
const step: Check = shape({ ...parts, together: list((value, at) => shape(parts)(value, at)) });

const written = shape(
  {
    ...{ id: text, says: text, requirements: list(text), level: oneOf('must', 'should', 'may'), own: record(text) },
    ...{ workflow: text, harness: harnessPlan, steps: list(step), reaches: list(text) },
  },
  ['id', 'says', 'requirements', 'steps'],
);

/** Throws a `ShapeError` that names the place. */
export const checkCaseFile: Check = shape({ about: text, cases: list(written) }, ['about', 'cases']);

/** Whether a case has to control processes: it cannot share one, and cannot be asked of one that runs elsewhere. */
export const controls = ({ own, steps, harness }: OrchestratorCase): boolean =>
  own !== undefined ||
  harness?.store !== undefined ||
  steps.some(
    ({ signal, kill, start, exit, harnessDown }) =>
      signal !== undefined || kill === true || start !== undefined || exit !== undefined || harnessDown !== undefined,
  );
