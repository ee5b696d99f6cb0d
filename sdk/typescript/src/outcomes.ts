/**
 * Renders the texts of the spec (TW-OUT-001): the same bytes in every language. The template language is described at the
 * head of `spec/outcomes.yaml`. Pure and without a Node import.
 */
import { type OutcomeCode, outcomes } from './gen/protocol.ts';
import type { OutcomeRow } from './table.ts';

/** What a template may insert, by name. */
export type TemplateValues = Readonly<Record<string, unknown>>;

type Node =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'value' | 'list'; readonly name: string }
  | { readonly kind: '?' | '!' | '#'; readonly name: string; readonly body: readonly Node[] };

const tag = /\{([?!#/]?)([A-Za-z][A-Za-z0-9_]*)(,?)\}/g;

/** The text of an outcome of `deliver`. Throws a `TypeError` for a plain value that is missing. */
export function outcomeText(code: OutcomeCode, values: TemplateValues): string {
  return render((outcomes as Readonly<Record<string, OutcomeRow>>)[code]?.text ?? '', values);
}

/**
 * Fills a template of the spec. `{name}` is a string as it is, another value as canonical JSON; `{name,}` a list of strings;
 * `{?name}…{/name}` stays when the value is there, `{!name}…{/name}` when it is not; `{#name}…{/name}` repeats for each item.
 * What is inserted is never scanned again.
 */
export function render(template: string, values: TemplateValues): string {
  return fill(parse(template), values);
}

function parse(template: string): readonly Node[] {
  const stack: { name: string; kind: '?' | '!' | '#'; body: Node[] }[] = [];
  const root: Node[] = [];
  const top = () => stack.at(-1)?.body ?? root;
  let at = 0;
  for (const found of template.matchAll(tag)) {
    const [whole, sign = '', name = '', comma] = found;
    if (found.index > at) top().push({ kind: 'literal', text: template.slice(at, found.index) });
    at = found.index + whole.length;
    if (sign === '') {
      top().push({ kind: comma === ',' ? 'list' : 'value', name });
    } else if (sign === '/') {
      const open = stack.pop();
      if (open?.name !== name) throw new TypeError(`template: {/${name}} closes nothing`);
      top().push(open);
    } else {
      stack.push({ kind: sign as '?' | '!' | '#', name, body: [] });
    }
  }
  if (stack.length > 0) throw new TypeError(`template: {${stack.at(-1)?.name}} is not closed`);
  if (at < template.length) root.push({ kind: 'literal', text: template.slice(at) });
  return root;
}

function fill(nodes: readonly Node[], values: TemplateValues): string {
  return nodes.map((node) => fillOne(node, values)).join('');
}

function fillOne(node: Node, values: TemplateValues): string {
  if (node.kind === 'literal') return node.text;
  const value = Object.hasOwn(values, node.name) ? values[node.name] : undefined;
  const there = value !== undefined && value !== null && value !== '';
  switch (node.kind) {
    case 'value':
      if (value === undefined) throw new TypeError(`template: {${node.name}} has no value`);
      return typeof value === 'string' ? value : canonicalJson(value);
    case 'list':
      if (!Array.isArray(value)) throw new TypeError(`template: {${node.name},} is not a list`);
      return value.length === 0 ? '(none)' : value.map(String).join(', ');
    case '?':
      return there ? fill(node.body, values) : '';
    case '!':
      return there ? '' : fill(node.body, values);
    default:
      if (!Array.isArray(value)) return '';
      return value.map((item) => fill(node.body, isRecord(item) ? { ...values, ...item } : values)).join('');
  }
}

/** JSON with its members in the order of their UTF-16 code units (RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
