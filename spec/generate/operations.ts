import { isDeepStrictEqual } from 'node:util';
import { type ExtensionSchemas, extension } from './extensions.ts';
import type { Document, DocumentName, JsonObject } from './sources.ts';
import { SpecError } from './spec-error.ts';
import type { OperationRow, ResponseRow, SeatPolicy } from './table.ts';

const methods = ['get', 'post', 'put', 'delete', 'head'] as const;

/** `503` is one status, `5xx` its class. */
export function statusRange(status: number | string): readonly [number, number] {
  if (typeof status === 'number') return [status, status];
  const hundred = Number(status[0]) * 100;
  return [hundred, hundred + 99];
}

/** A seat as the document writes it: a status or a class of them where the table has a range. */
type SeatSource = Omit<SeatPolicy, 'answers'> & { answers: { status: number | string; codes?: string[] }[] };

function seatsOf(retry: JsonObject): Record<string, SeatPolicy> {
  const seats = retry.seats as unknown as Record<string, SeatSource>;
  return Object.fromEntries(
    Object.entries(seats).map(([seat, policy]) => [
      seat,
      { ...policy, answers: policy.answers.map((rule) => ({ ...rule, status: statusRange(rule.status) })) },
    ]),
  );
}

/** A problem response says its codes twice, in the header's enum and the body's; the header is enough here. */
function codesOf(response: JsonObject): string[] | undefined {
  const headers = (response.headers ?? {}) as Record<string, { schema?: { enum?: string[]; const?: string } }>;
  const schema = Object.entries(headers).find(([name]) => name.toLowerCase() === 'turnwire-code')?.[1].schema;
  return schema?.enum ?? (schema?.const === undefined ? undefined : [schema.const]);
}

function responseRow(
  response: JsonObject,
  schemas: ExtensionSchemas,
  at: { document: string; path: string },
): ResponseRow {
  const { means, taken } = extension(response, 'x-turnwire-meaning', schemas.meaning, at) as unknown as ResponseRow;
  const codes = codesOf(response);
  const media = Object.keys((response.content ?? {}) as JsonObject);
  return { means, taken, ...(codes ? { codes } : {}), ...(media.length > 0 ? { media } : {}) };
}

function operationRow(
  name: DocumentName,
  path: string,
  method: (typeof methods)[number],
  operation: JsonObject,
  schemas: ExtensionSchemas,
): OperationRow {
  const document = `${name}.yaml`;
  const place = `${method.toUpperCase()} ${path}`;
  const responses = Object.entries((operation.responses ?? {}) as Record<string, JsonObject>);
  return {
    documents: [name],
    method: method.toUpperCase() as OperationRow['method'],
    path,
    seats: seatsOf(extension(operation, 'x-turnwire-retry', schemas.retry, { document, path: place })),
    responses: Object.fromEntries(
      responses.map(([status, response]) => [
        status,
        responseRow(response, schemas, { document, path: `${place} ${status}` }),
      ]),
    ),
  };
}

/** The same operation behind another role: it may answer more, and is called by the same rules. */
function merged(id: string, first: OperationRow, second: OperationRow): OperationRow {
  const same =
    first.method === second.method && first.path === second.path && isDeepStrictEqual(first.seats, second.seats);
  if (!same) {
    const remedy = `operationId ${id} is also in ${first.documents[0]}.yaml: same method, path and x-turnwire-retry, or another id`;
    throw new SpecError(`${second.documents[0]}.yaml`, `${second.method} ${second.path}`, remedy);
  }
  const responses: Record<string, ResponseRow> = { ...first.responses };
  for (const [status, row] of Object.entries(second.responses)) {
    const known = responses[status];
    const codes = [...new Set([...(known?.codes ?? []), ...(row.codes ?? [])])];
    responses[status] = { ...(known ?? row), ...(codes.length > 0 ? { codes } : {}) };
  }
  return { ...first, documents: [...first.documents, ...second.documents], responses };
}

/** Every operation of the documents, by its operationId. */
export function operationTable(
  documents: ReadonlyMap<DocumentName, Document>,
  schemas: ExtensionSchemas,
): Record<string, OperationRow> {
  const table: Record<string, OperationRow> = {};
  for (const [name, document] of documents) {
    for (const [path, item] of Object.entries(document.paths)) {
      for (const method of methods) {
        const operation = item[method] as JsonObject | undefined;
        if (!operation) continue;
        const id = operation.operationId as string | undefined;
        if (!id) throw new SpecError(`${name}.yaml`, `${method.toUpperCase()} ${path}`, 'add an `operationId`');
        const row = operationRow(name, path, method, operation, schemas);
        const known = table[id];
        table[id] = known ? merged(id, known, row) : row;
      }
    }
  }
  return table;
}
