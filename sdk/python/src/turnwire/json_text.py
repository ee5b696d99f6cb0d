"""JSON as every language of ours writes and reads it."""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

from pydantic import BaseModel

_SURROGATES = re.compile("[\ud800-\udfff]")
_SAFE_INTEGER = 2**53


def parsed(text: str) -> object:
    """The JSON value of a text, or the text itself: the very object that was given."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def plain(value: object) -> object:
    """A value in which every body of the wire is a plain JSON object; members that are not set are left out."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def dumped(value: object) -> str:
    """The JSON text of a value. Raises ``ValueError`` or ``TypeError`` for what JSON cannot write."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _escaped(text)


def canonical_json(value: object) -> str:
    """JSON with its members in the order of their UTF-16 code units, and numbers as doubles (RFC 8785)."""
    if isinstance(value, BaseModel):
        value = plain(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, str):
        return _escaped(json.dumps(value, ensure_ascii=False))
    if isinstance(value, (list, tuple)):
        return f"[{','.join(canonical_json(item) for item in value)}]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{canonical_json(name)}:{canonical_json(value[name])}' for name in names)}}}"
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _escaped(text: str) -> str:
    """A half of a pair cannot be written as UTF-8."""
    return _SURROGATES.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _number(value: int | float) -> str:
    """As ECMAScript writes it: the shortest digits that are this double, an exponent only from 1e21 and below 1e-6."""
    if isinstance(value, int) and abs(value) < _SAFE_INTEGER:
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    sign, digits, exponent = "-" if number < 0 else "", *_digits(abs(number))
    count = len(digits)
    if count <= exponent <= 21:
        return sign + digits + "0" * (exponent - count)
    if 0 < exponent <= 21:
        return f"{sign}{digits[:exponent]}.{digits[exponent:]}"
    if -6 < exponent <= 0:
        return f"{sign}0.{'0' * -exponent}{digits}"
    power = exponent - 1
    fraction = f".{digits[1:]}" if count > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'+' if power >= 0 else '-'}{abs(power)}"


def _digits(number: float) -> tuple[str, int]:
    """Its digits without zeros at either end, and where the point stands: 0.digits × 10^exponent."""
    mantissa, _, power = f"{number!r}e0".partition("e")
    whole, _, fraction = mantissa.partition(".")
    exponent = int(power.partition("e")[0] or "0") + len(whole)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    exponent -= len(digits) - len(stripped)
    return stripped.rstrip("0"), exponent
