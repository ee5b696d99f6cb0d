import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ID = /TW-[A-Z]+-\d+/g;
const KEY_WORD = /\b(?:MUST|SHOULD|MAY|SHALL|REQUIRED|RECOMMENDED)\b/;

/**
 * Requirement ids that the document names exist in the prose, and nothing is demanded here that has no id.
 * Options: `file`, from the folder of the document.
 */
export default function requirements(text, { file }, context) {
  if (typeof text !== 'string') return [];
  const known = knownIds(join(dirname(context.documentInventory.source), file));
  const unknown = (text.match(ID) ?? []).filter((id) => !known.has(id));
  const found = unknown.map((id) => ({ message: `${id} is not in ${file}` }));
  if (KEY_WORD.test(text)) found.push({ message: `normative key words belong to ${file}, where each has an id` });
  return found;
}

const files = new Map();
function knownIds(path) {
  if (!files.has(path)) files.set(path, new Set(readFileSync(path, 'utf8').match(ID)));
  return files.get(path);
}
