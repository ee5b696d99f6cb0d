export * from './client.ts';
export * from './clock.ts';
export * from './fault.ts';
export type { RoutabilityLine } from './routability.ts';
export * from './seats.ts';
export * from './table.ts';
export * from './wire.ts';
