/**
 * Every response has a meaning, and carries the version; a Harness's carries its store too (TW-GEN-001, TW-ADM-001).
 * Options: `headers`, the ones that are required; `title`, the only document that this is asked of, if not all.
 */
export default function response(responses, { headers, title }, context) {
  if (!isObject(responses)) return [];
  if (title !== undefined && context.document.data?.info?.title !== title) return [];
  return Object.entries(responses).flatMap(([status, answer]) =>
    headers
      .filter((name) => answer?.headers?.[name]?.required !== true)
      .map((name) => ({ message: `${status}: the header ${name} is not required`, path: [...context.path, status] })),
  );
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
