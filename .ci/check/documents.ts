import { join } from 'node:path';
import { documentNames, readDocument } from '../../spec/generate/sources.ts';
import type { Check } from './check.ts';

/** Each document is a valid OpenAPI 3.1 document of which every reference resolves. */
export const documents: Check = {
  name: 'swagger-parser',
  async run(root) {
    const results = await Promise.allSettled(documentNames.map((name) => readDocument(join(root, 'spec'), name)));
    return {
      problems: results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : [])),
    };
  },
};
