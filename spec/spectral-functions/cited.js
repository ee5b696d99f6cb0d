/** The ids in an operation's prose and its `x-turnwire-requirements` agree: what the prose cites is listed. */
export default function cited(operation) {
  const listed = operation?.['x-turnwire-requirements'];
  if (!Array.isArray(listed) || listed.length === 0)
    return [{ message: 'x-turnwire-requirements is missing or empty' }];
  const prose = String(operation.description ?? '').match(/TW-[A-Z]+-\d+/g) ?? [];
  if (prose.length === 0) return [{ message: 'the description cites no requirement' }];
  return [...new Set(prose)]
    .filter((id) => !listed.includes(id))
    .map((id) => ({ message: `${id} is cited in the description and not listed in x-turnwire-requirements` }));
}
