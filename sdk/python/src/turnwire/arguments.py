"""A programmer's errors: raised as ``ArgumentError`` that names the argument, before anything is sent (TW-CER-018)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from .json_text import dumped
from .limits import LONGEST_MS

_IID = re.compile(r"[A-Za-z0-9._~-]{1,128}")
_KEY = re.compile(r"[\x21-\x7e]{1,128}")
_HEADER_TEXT = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class ArgumentError(ValueError):
    """An argument is wrong; the message begins with its name. Nothing was sent."""


def need(fine: bool, argument: str, what: str) -> None:
    """Raises unless ``fine``, saying what the argument must be."""
    if not fine:
        raise ArgumentError(f"{argument}: must be {what}")


def check_iid(iid: object) -> None:
    """An iid: URL-safe, no slash, and no dot segment."""
    fine = isinstance(iid, str) and _IID.fullmatch(iid) is not None and iid not in (".", "..")
    need(fine, "iid", "1–128 of A-Z a-z 0-9 . _ ~ -")


def check_segment(value: object, argument: str) -> None:
    """A name that becomes one segment of a path."""
    fine = isinstance(value, str) and value not in ("", ".", "..")
    need(fine, argument, "a name that can stand in a path")


def check_key(value: object, argument: str) -> None:
    """A key or a delivery id (TW-GEN-017)."""
    need(isinstance(value, str) and _KEY.fullmatch(value) is not None, argument, "1–128 visible ASCII characters")


def check_text(value: object, argument: str) -> None:
    """A string that is not empty."""
    need(isinstance(value, str) and value != "", argument, "a string that is not empty")


def check_wait(value: object, longest: int, argument: str) -> None:
    """Seconds that a poll is parked."""
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= longest
    need(fine, argument, f"whole seconds, 0–{longest}")


def check_ms(value: object, argument: str) -> None:
    """Milliseconds of an option; None: not given."""
    fine = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LONGEST_MS
    need(value is None or fine, argument, f"milliseconds, 0–{LONGEST_MS}")


def check_header_text(value: object, argument: str) -> None:
    """The text of one header."""
    fine = isinstance(value, str) and _HEADER_TEXT.fullmatch(value) is not None
    need(fine, argument, "a header value in one line")


def check_headers(headers: Mapping[str, object], argument: str) -> None:
    """Headers; a line break in one would be another header."""
    for name, value in headers.items():
        need(_HEADER_NAME.fullmatch(name) is not None, argument, f"header names, not {name!r}")
        check_header_text(value, f"{argument}.{name}")


def json_text(value: object, argument: str) -> str:
    """The JSON text of a value."""
    try:
        return dumped(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"{argument}: cannot be written as JSON: {error}") from None


def exact_text(text: str, argument: str) -> str:
    """A text that is JSON already, to be sent byte for byte."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        need(False, argument, "JSON, when it is a text")
    return text


def check_base_url(value: object, argument: str) -> SplitResult:
    """An http or https URL without query, fragment and user."""
    need(isinstance(value, str), argument, "an absolute http or https URL")
    try:
        url = urlsplit(str(value))
        _ = url.port
    except ValueError:
        raise ArgumentError(f"{argument}: must be an absolute http or https URL") from None
    need(url.scheme in ("http", "https") and bool(url.hostname), argument, "an absolute http or https URL")
    need(url.query == "" and url.fragment == "", argument, "a URL without query and fragment")
    need(url.username is None and url.password is None, argument, "a URL without user and password")
    return url
