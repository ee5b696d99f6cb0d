/** The shapes of the files in `cases/client/`, so that a slip in one is one clear line. */
import * as check from '../shape.ts';
import { requirements } from './spec.ts';

const { shape, text, list, record, anything, oneOf, whole, amount, either, flag, fail, count } = check;

const requirement: check.Check = (value, at) =>
  (typeof value === 'string' && requirements.has(value)) || fail(at, `${String(value)} is no requirement of the spec`);

const bounds = shape({ min: amount, max: amount });
const howMany = either((value) => typeof value === 'number', whole(0), bounds);
const options = shape({ windowMs: amount, attemptMs: amount });
const answer = shape(
  { status: whole(200), headers: record(text), body: anything, code: text, more: record(anything) },
  ['status'],
);

const fault: check.Check = (value, at) => {
  shape(
    {
      on: text,
      fault: text,
      forMs: amount,
      deliver: flag,
      end: oneOf('fin', 'rst'),
      afterBytes: whole(0),
      ms: amount,
      answer,
      ours: answer,
      downMs: amount,
    },
    ['fault'],
  )(value, at);
};

const peer = shape({
  role: oneOf('harness', 'orchestrator'),
  store: text,
  idempotentAdmissions: flag,
  clientDeliveryIds: flag,
  fencedAbort: flag,
  outstandingPolls: whole(0),
  receipt: record(anything),
  turnOver: flag,
  taken: text,
});

const expectation = shape(
  {
    outcome: text,
    code: text,
    certainty: oneOf('never_delivered', 'unknown', 'delivered', 'answered'),
    permanent: flag,
    attempts: howMany,
    arrived: record(howMany),
    effects: record(howMany),
    value: record(anything),
    texts: record(anything),
    sent: record(text),
    lastSent: record(text),
    lastQuery: record(text),
    sentBody: record(anything),
    gaps: list(bounds),
    newSockets: flag,
    took: bounds,
    order: list(text),
  },
  ['outcome'],
);

const call = shape({ seat: text, command: text, operation: text, input: record(anything), options }, [
  'seat',
  'command',
  'operation',
  'input',
]);

const written = shape(
  {
    id: text,
    says: text,
    requirements: list(requirement),
    level: oneOf('must', 'should', 'may'),
    calls: list(text),
    faults: list(text),
    ours: answer,
    at: text,
    nth: count,
    further: list(shape({ at: text, nth: count, fault: text }, ['at', 'fault'])),
    input: record(anything),
    options,
    peer,
    before: whole(0),
    pauseMs: amount,
    cancel: shape({ arrived: text, nth: whole(1), afterMs: amount }),
    address: oneOf('unresolvable', 'https'),
    expect: expectation,
  },
  ['id', 'says', 'requirements', 'expect'],
);

const caseFile = shape({ about: text, calls: record(call), peer, cases: list(written) }, ['about', 'calls', 'cases']);
const faultFile = shape({ about: text, faults: record(fault), groups: record(list(text)) }, ['faults', 'groups']);

const named =
  (inner: check.Check) =>
  (value: unknown, file: string): unknown => {
    try {
      inner(value, '');
    } catch (error) {
      throw error instanceof check.ShapeError ? new check.ShapeError(`cases/client/${file}: ${error.message}`) : error;
    }
    return value;
  };

export const checkCaseFile = named(caseFile);
export const checkFaultFile = named(faultFile);
