/** Between rows of the ledger and rows of SQL: snake_case columns, JSON as text, booleans as 0 and 1. */
import type { JsonValue } from '../run/json.ts';

type Cell = string | number | null;
export type SqlRow = Record<string, Cell>;

interface Column<Row> {
  field: keyof Row & string;
  column: string;
  as?: 'json' | 'flag';
}

export interface TableOf<Row> {
  columns: readonly Column<Row>[];
  /** Writes a whole row, in the place of the one with the same key. */
  upsert: string;
}

const snake = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The first `keys` fields are the primary key; `field:json` and `field:flag` are kept as text and as 0 or 1. */
export function table<Row>(
  name: string,
  keys: number,
  fields: readonly `${keyof Row & string}${'' | ':json' | ':flag'}`[],
): TableOf<Row> {
  const columns = fields.map((marked): Column<Row> => {
    const [field, as] = marked.split(':') as [keyof Row & string, 'json' | 'flag' | undefined];
    return { field, column: snake(field), ...(as === undefined ? {} : { as }) };
  });
  const names = columns.map(({ column }) => column);
  const changed = names.slice(keys).map((column) => `${column} = excluded.${column}`);
  const upsert = `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
    ON CONFLICT (${names.slice(0, keys).join(', ')}) DO UPDATE SET ${changed.join(', ')}`;
  return { columns, upsert };
}

/** @throws when the row has no such field */
export function columnOf<Row>({ columns }: TableOf<Row>, field: string): string {
  const column = columns.find((one) => one.field === field);
  if (!column) throw new Error(`there is no column of ${field}`);
  return column.column;
}

export function cells<Row>({ columns }: TableOf<Row>, row: Row): Cell[] {
  return columns.map(({ field, as }) => {
    const value = row[field] as JsonValue | undefined;
    if (value === undefined) return null;
    if (as === 'json') return JSON.stringify(value);
    return as === 'flag' ? Number(value) : (value as Cell);
  });
}

export function rowOf<Row>({ columns }: TableOf<Row>, sql: SqlRow): Row {
  const row: Partial<Record<keyof Row, unknown>> = {};
  for (const { field, column, as } of columns) {
    const value = sql[column];
    if (value === null || value === undefined) continue;
    row[field] = as === 'json' ? JSON.parse(String(value)) : as === 'flag' ? value === 1 : value;
  }
  return row as Row;
}
