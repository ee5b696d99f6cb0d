/** The spec contradicts itself or its schema: said in one line that names the document, the place and what to do. */
export class SpecError extends Error {
  constructor(document: string, path: string, remedy: string) {
    super(`${document}: ${path}: ${remedy}`);
    this.name = 'SpecError';
  }
}
