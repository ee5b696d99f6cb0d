/**
 * An error names its codes: the header `Turnwire-Code` and the body's `code` have the same enum, each code belongs to
 * this status, and each has an example that says what the response would say. Errors of HEAD have no body.
 */
export default function problem(responses, _options, context) {
  if (!isObject(responses)) return [];
  const head = context.path.at(-2) === 'head';
  return Object.entries(responses).flatMap(([status, response]) => {
    if (!/^[45]\d\d$/.test(status) || !isObject(response)) return [];
    const path = [...context.path, status];
    return findings(Number(status), response, head).map((message) => ({ message: `${status}: ${message}`, path }));
  });
}

function findings(status, response, head) {
  const header = response.headers?.['Turnwire-Code'];
  const codes = header?.schema?.enum;
  if (!Array.isArray(codes) || codes.length === 0) return ['the header Turnwire-Code has no enum of codes'];
  const found = header.required === true ? [] : ['the header Turnwire-Code is not required'];
  if (head) return found;
  const media = response.content?.['application/problem+json'];
  if (!media) return [...found, 'there is no application/problem+json'];
  return [...found, ...bodyFindings(status, codes, media)];
}

function bodyFindings(status, codes, media) {
  const parts = [media.schema, ...(media.schema?.allOf ?? [])];
  const table = parts.map((part) => part?.properties?.code?.['x-turnwire-problems']).find(isObject) ?? {};
  const narrowed = parts
    .map((part) => part?.properties?.code)
    .find((code) => code?.enum && !code['x-turnwire-problems']);
  if (!narrowed) return ['the body does not narrow `code` to an enum'];
  const found = [];
  if ([...narrowed.enum].sort().join() !== [...codes].sort().join()) {
    found.push('the enum of the body’s `code` is not that of the header');
  }
  for (const code of codes) {
    if (table[code]?.status !== status) found.push(`\`${code}\` does not belong to ${status}`);
  }
  const examples = Object.entries(media.examples ?? {});
  for (const [name, { value } = {}] of examples) {
    if (!codes.includes(value?.code)) found.push(`the example ${name} has a code that is not listed here`);
    if (value?.status !== status) found.push(`the example ${name} has another status`);
  }
  const unshown = codes.filter((code) => !examples.some(([, example]) => example?.value?.code === code));
  return [...found, ...unshown.map((code) => `\`${code}\` has no example`)];
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
