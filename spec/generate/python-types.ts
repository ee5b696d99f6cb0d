/** The bodies of the wire as pydantic models. */
import { snake } from './casing.ts';
import { head } from './python.ts';
import { literal, literalType, text } from './python-literal.ts';
import type { Field, Named, Shape } from './schemas.ts';

function shapeType(shape: Shape): string {
  switch (shape.kind) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'json':
      return 'JsonValue';
    case 'object':
      return 'dict[str, JsonValue]';
    case 'list':
      return `list[${shapeType(shape.of)}]`;
    case 'named':
      return shape.name === 'Json' ? 'JsonValue' : shape.name;
    case 'const':
      return `Literal[${literal(shape.value)}]`;
    default:
      return `Literal[${shape.values.map(text).join(', ')}]`;
  }
}

const docstring = (about: string, indent: string) => {
  const said = about
    .trim()
    .replaceAll('\\', '\\\\')
    .split('\n')
    .map((line) => line.trimEnd());
  const end = said.at(-1)?.endsWith('"') ? ' ' : '';
  return `${indent}"""${said.join(`\n${indent}`)}${end}"""\n`;
};

function fieldLines({ name, required, shape, about }: Field): string {
  const start = `    ${snake(name)}: `;
  const none = required ? '' : ' | None = None';
  const type = shape.kind === 'enum' ? literalType(shape.values, start.length, '    ', none.length) : shapeType(shape);
  const given = required ? (shape.kind === 'const' ? ` = ${literal(shape.value)}` : '') : ' = None';
  const line = `    ${snake(name)}: ${required ? type : `${type} | None`}${given}\n`;
  return about === undefined ? line : line + docstring(about, '    ');
}

function named(each: Named): string {
  if (each.kind === 'union') {
    const members = each.members.map((name) => `    | ${name}`);
    members[0] = `    ${each.members[0]}`;
    const short = `${each.name}: TypeAlias = ${each.members.join(' | ')}`;
    const alias = short.length <= 120 ? `${short}\n` : `${each.name}: TypeAlias = (\n${members.join('\n')}\n)\n`;
    return each.about === undefined ? alias : alias + docstring(each.about, '');
  }
  if (each.kind === 'alias') {
    const start = `${each.name}: TypeAlias = `;
    const { shape } = each;
    const type = shape.kind === 'enum' ? literalType(shape.values, start.length) : shapeType(shape);
    return `${start}${type}\n${each.about === undefined ? '' : docstring(each.about, '')}`;
  }
  const about = docstring(each.about ?? 'See the documents.', '    ');
  const fields = [...each.fields.filter(isPlainFirst), ...each.fields.filter((field) => !isPlainFirst(field))];
  const body = fields.map(fieldLines).join('');
  return `class ${each.name}(WireModel):\n${about}${body === '' ? '' : `\n${body}`}`;
}

/** Fields that must be given stand before those that need not. */
const isPlainFirst = ({ required, shape }: Field) => required && shape.kind !== 'const';

/** The bodies of the wire. */
export function pythonTypes(schemas: readonly Named[]): string {
  const wanted = schemas.filter(({ name }) => name !== 'Json');
  const isFlat = (each: Named) => each.kind === 'alias' && !isListOfNamed(each);
  const flat = wanted.filter(isFlat);
  const late = wanted.filter((each) => each.kind !== 'object' && !isFlat(each));
  const objects = wanted.filter((each) => each.kind === 'object');
  const begin = `${head('spec/openapi/*.yaml')}
"""The bodies of the wire, as the documents have them. Names are Python's here and the wire's own on the wire."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic.alias_generators import to_camel


class WireModel(BaseModel):
    """A body of the wire. Fields that a reader does not know are kept and mean nothing (TW-GEN-012)."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")


`;
  return (
    begin +
    flat.map(named).join('') +
    objects.map((each) => `\n\n${named(each)}`).join('') +
    `\n\n${late.map(named).join('')}`
  );
}

const isListOfNamed = (each: Named) => each.kind === 'alias' && each.shape.kind === 'list';
