/** The bodies of the wire as Go structs. */
import { pascal } from './casing.ts';
import { goHead } from './go.ts';
import { goComment, goString } from './go-literal.ts';
import type { Field, Named, Shape } from './schemas.ts';

/** A value of a union has the fields of every member: which are set, its `Type` says. */
function unionFields(union: readonly string[], schemas: ReadonlyMap<string, Named>): Field[] {
  const fields = new Map<string, Field>();
  for (const member of union) {
    const of = schemas.get(member);
    const own = of?.kind === 'object' ? of.fields : [];
    for (const field of own) {
      const known = fields.get(field.name);
      const everywhere = field.required && (known?.required ?? true);
      const required = everywhere && union.every((each) => requires(schemas.get(each), field.name));
      const shape = known === undefined ? field.shape : common(known.shape, field.shape, schemas);
      fields.set(field.name, { ...field, required, shape: loosened(shape), about: known ? known.about : field.about });
    }
  }
  return [...fields.values()];
}

const requires = (of: Named | undefined, name: string) =>
  of?.kind === 'object' && of.fields.some((field) => field.name === name && field.required);

/** A constant of one member is no constant of the union. */
const loosened = (shape: Shape): Shape =>
  shape.kind === 'const' && typeof shape.value === 'string' ? { kind: 'string' } : shape;

/** What two members' fields of one name have in common: their type, or that both are strings, or that both are JSON. */
function common(one: Shape, other: Shape, schemas: ReadonlyMap<string, Named>): Shape {
  if (typeOf(loosened(one)) === typeOf(loosened(other))) return one;
  return isText(one, schemas) && isText(other, schemas) ? { kind: 'string' } : { kind: 'json' };
}

function isText(shape: Shape, schemas: ReadonlyMap<string, Named>): boolean {
  if (shape.kind !== 'named') return shape.kind === 'enum' || loosened(shape).kind === 'string';
  const of = schemas.get(shape.name);
  return of?.kind === 'alias' && isText(of.shape, schemas);
}

function typeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'integer':
      return 'int';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'json':
    case 'object':
      return 'json.RawMessage';
    case 'list':
      return `[]${typeOf(shape.of)}`;
    case 'named':
      return shape.name === 'Json' || shape.name === 'JsonSchema' ? 'json.RawMessage' : shape.name;
    case 'const':
      return typeof shape.value === 'boolean' ? 'bool' : 'string';
    default:
      return 'string';
  }
}

/** A struct that may be absent is a pointer, and so is a number or a truth whose zero would say something. */
function fieldType({ shape, required }: Field, structs: ReadonlySet<string>): string {
  const type = typeOf(shape);
  const pointed = structs.has(type) || ['int', 'float64', 'bool'].includes(type);
  return !required && pointed ? `*${type}` : type;
}

function struct(name: string, about: string, fields: readonly Field[], structs: ReadonlySet<string>): string {
  const lines = fields.map((field) => {
    const tag = `\`json:"${field.name}${field.required ? '' : ',omitempty'}"\``;
    const said = field.about === undefined ? '' : `${goComment(field.about, '\t')}\n`;
    return `${said}\t${pascal(field.name)} ${fieldType(field, structs)} ${tag}`;
  });
  return `${goComment(`${name}: ${about}`)}\ntype ${name} struct {\n${lines.join('\n\n')}\n}\n`;
}

function alias(name: string, about: string, shape: Shape): string {
  const head = goComment(`${name}: ${about}`);
  if (shape.kind !== 'enum') return `${head}\ntype ${name} = ${typeOf(shape)}\n`;
  const values = shape.values.map(
    (value) =>
      `// ${name}${pascal(value)} is a value of ${name}.\nconst ${name}${pascal(value)} ${name} = ${goString(value)}\n`,
  );
  return [`${head}\ntype ${name} string\n`, ...values].join('\n');
}

/** Every named body. */
export function goTypes(schemas: readonly Named[]): string {
  const wanted = schemas.filter(({ name }) => name !== 'Json' && name !== 'JsonSchema');
  const byName = new Map(wanted.map((each) => [each.name, each]));
  const structs = new Set(wanted.filter(({ kind }) => kind !== 'alias').map(({ name }) => name));
  const made = wanted.map((each) => {
    const about = each.about ?? 'see the documents.';
    if (each.kind === 'alias') return alias(each.name, about, each.shape);
    const fields = each.kind === 'union' ? unionFields(each.members, byName) : each.fields;
    const more = each.kind === 'union' ? ' One of several; Type says which, and which fields are set.' : '';
    return struct(each.name, about + more, fields, structs);
  });
  return [`${goHead('spec/openapi/*.yaml')}\npackage gen\n\nimport "encoding/json"\n`, ...made].join('\n');
}
