/** Each media type of a request or a response has at least one named example with a value (mocks and guides use them). */
export default function examples(content, _options, context) {
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(content).flatMap(([type, media]) => {
    const path = [...context.path, type];
    const named = Object.entries(media?.examples ?? {});
    if (named.length === 0) return [{ message: `${type} has no named example`, path }];
    return named
      .filter(([, example]) => example?.value === undefined)
      .map(([name]) => ({ message: `the example ${name} of ${type} has no value`, path }));
  });
}
