"""Renders the texts of the spec (TW-OUT-001): the same bytes in every language.

The template language is described at the head of ``spec/outcomes.yaml``. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Union

from .gen.protocol import OUTCOMES
from .json_text import canonical_json

TemplateValues = Mapping[str, object]
"""What a template may insert, by name. None is not there."""

_TAG = re.compile(r"\{([?!#/]?)([A-Za-z][A-Za-z0-9_]*)(,?)\}")


@dataclass(frozen=True)
class _Section:
    kind: str
    name: str
    body: list[_Node] = field(default_factory=list)


_Node = Union[str, _Section]


def outcome_text(code: str, values: TemplateValues) -> str:
    """The text of an outcome of ``deliver``. Raises ``TypeError`` for a plain value that is missing."""
    row = OUTCOMES.get(code)
    return render("" if row is None else row.text, values)


def render(template: str, values: TemplateValues) -> str:
    """Fills a template of the spec.

    ``{name}`` is a string as it is, another value as canonical JSON; ``{name,}`` a list of strings; ``{?name}…{/name}`` stays
    when the value is there, ``{!name}…{/name}`` when it is not; ``{#name}…{/name}`` repeats for each item. What is inserted is
    never scanned again. Raises ``TypeError`` for a plain value that is missing and for a template that is broken.
    """
    return _fill(_parse(template), values)


def _parse(template: str) -> list[_Node]:
    root = _Section("", "")
    stack = [root]
    at = 0
    for found in _TAG.finditer(template):
        sign, name, comma = found.groups()
        if found.start() > at:
            stack[-1].body.append(template[at : found.start()])
        at = found.end()
        if sign == "":
            stack[-1].body.append(_Section(comma or "value", name))
        elif sign != "/":
            stack.append(_Section(sign, name))
        else:
            opened = stack.pop()
            if not stack or opened.name != name:
                raise TypeError(f"template: {{/{name}}} closes nothing")
            stack[-1].body.append(opened)
    if len(stack) > 1:
        raise TypeError(f"template: {{{stack[-1].name}}} is not closed")
    if at < len(template):
        root.body.append(template[at:])
    return root.body


def _fill(nodes: Sequence[_Node], values: TemplateValues) -> str:
    return "".join(node if isinstance(node, str) else _fill_one(node, values) for node in nodes)


def _fill_one(node: _Section, values: TemplateValues) -> str:
    value = values.get(node.name)
    there = value is not None and value != ""
    if node.kind == "?":
        return _fill(node.body, values) if there else ""
    if node.kind == "!":
        return "" if there else _fill(node.body, values)
    if node.kind == "value":
        if node.name not in values:
            raise TypeError(f"template: {{{node.name}}} has no value")
        return value if isinstance(value, str) else canonical_json(value)
    if node.kind == ",":
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"template: {{{node.name},}} is not a list")
        return ", ".join(str(item) for item in value) if value else "(none)"
    if not isinstance(value, (list, tuple)):
        return ""
    return "".join(_fill(node.body, {**values, **item} if isinstance(item, dict) else values) for item in value)
