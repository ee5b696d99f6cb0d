/** The Harness as a library: what another process needs to host conversations with a turn runner of its own. */
export { type AppOptions, createHarnessApp } from './api/app.ts';
export type { Settlement } from './conversation/state.ts';
export type * from './engine/port.ts';
export { abandon, drain } from './host/drain.ts';
export { Harness, type HarnessOptions } from './host/harness.ts';
export { Metrics } from './metrics.ts';
export type * from './turn/port.ts';
