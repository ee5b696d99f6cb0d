/** Cases are written by people: a mistake is one clear line. */
import { anything, type Check, flag, list, oneOf, record, shape, text, whole } from '../shape.ts';
import type { CustodianCase } from './case.ts';
import { programs } from './programs.ts';

const act = shape({
  ...{ at: oneOf('head', 'whole'), status: whole(100), headers: record(anything), json: anything, text },
  ...{ bytes: whole(8), chunked: flag, pieces: whole(1), everyMs: whole(0), hold: flag, afterMs: whole(1) },
  ...{ cut: whole(0), before: text, raw: text, end: oneOf('rst', 'fin'), silent: flag, dies: flag, foreign: flag },
});
const fields: Readonly<Record<string, Check>> = {
  ...{ route: oneOf('surface', 'pick', 'poll', 'register', 'heartbeat'), method: text, target: text, version: text },
  ...{ headers: record(anything), json: anything, text, bytes: whole(8), chunked: flag, raw: text, exact: text },
  ...{ pieces: whole(1), everyMs: whole(0), sent: whole(0), leave: oneOf('arrived', 'answered'), answers: whole(1) },
  ...{ forMs: whole(1), slowly: flag, unread: flag, health: flag, copies: whole(1) },
};
const token = shape({ text, mode: text, how: oneOf('rename', 'write', 'remove') });
const place = oneOf('orchestrator', 'refused', 'unknown_name', 'full_queue', 'resets_connections', 'breaks_tls');

const parts: Readonly<Record<string, Check>> = {
  ...{ as: text, expect: anything, ask: shape(fields), upstream: list(act), release: flag, token },
  refused: shape(
    { statuses: list(whole(100)), code: anything, rows: list(shape({ ...fields, name: text }, ['name'])) },
    [...['statuses', 'rows']],
  ),
  arrived: shape({
    ...{ requests: anything, connections: anything, used: anything, open: anything, count: anything },
    ...{ spanMs: anything, afterMs: whole(1), withinMs: whole(1) },
  }),
  ...{ place: oneOf('refused', 'orchestrator'), pause: whole(1), signal: oneOf('SIGTERM'), exit: whole(0) },
  ...{ start: record(text), startFails: record(text), log: anything, run: oneOf(...Object.keys(programs)) },
};
const step: Check = shape({ ...parts, together: list((value, at) => shape(parts)(value, at)) });

const written = shape(
  {
    ...{ id: text, says: text, requirements: list(text), level: oneOf('must', 'should', 'may'), own: record(text) },
    ...{ place, token, unstarted: flag, upstream: list(act), steps: list(step), reaches: list(text) },
  },
  ['id', 'says', 'requirements', 'steps'],
);

/** Throws a `ShapeError` that names the place. */
export const checkCaseFile: Check = shape({ about: text, cases: list(written) }, ['about', 'cases']);

/** Whether a case has to control the process: it cannot share one, and cannot be asked of one that runs elsewhere. */
export const controls = ({ own }: CustodianCase): boolean => own !== undefined;
