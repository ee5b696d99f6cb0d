/** The shapes of the generated tables, as the rest of this SDK imports them. */
export type * from './gen/table.ts';
