"""Server-sent events, as the HTML standard has them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|\n|\r")


class Parser:
    """Makes frames of the pieces of a stream."""

    def __init__(self) -> None:
        self._rest = ""
        self._name = ""
        self._id: str | None = None
        self._data: list[str] = []

    def feed(self, text: str) -> Iterator[tuple[str, str | None, str]]:
        """Each frame that is whole now: its event's name, its id, and its data."""
        self._rest += text
        # A CR at the end may be the half of a line break.
        *lines, self._rest = _LINE_END.split(self._rest[:-1] if self._rest.endswith("\r") else self._rest)
        if text.endswith("\r"):
            self._rest += "\r"
        for line in lines:
            if line == "":
                yield from self._frame()
            else:
                self._field(line)

    def _frame(self) -> Iterator[tuple[str, str | None, str]]:
        if self._data:
            yield self._name or "message", self._id, "\n".join(self._data)
        self._name, self._id, self._data = "", None, []

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
