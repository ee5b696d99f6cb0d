import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { Service } from './service.ts';

it('ends what waits when the process stops, and at once what comes later (TW-DRN-006)', () => {
  const service = new Service();
  const reader = new AbortController().signal;
  const before = service.waiting(reader);
  expect(before.signal.aborted).toBe(false);
  service.stop();
  expect(before.signal.aborted).toBe(true);
  expect(service.waiting(reader).signal.aborted).toBe(true);
});

it('ends what waits when its reader is gone', () => {
  const reader = new AbortController();
  const { signal } = new Service().waiting(reader.signal);
  reader.abort();
  expect(signal.aborted).toBe(true);
  expect(new Service().waiting(reader.signal).signal.aborted).toBe(true);
});

it('keeps nothing of a request that is done', () => {
  const service = new Service();
  const reader = new AbortController().signal;
  for (let n = 0; n < 1_000; n++) service.waiting(reader).done();
  expect(getEventListeners(reader, 'abort')).toHaveLength(0);
  expect(getEventListeners(service.ended, 'abort')).toHaveLength(0);
});
