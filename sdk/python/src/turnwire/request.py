"""The request of an operation, as the documents have it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from .arguments import check_headers
from .gen.protocol import OPERATIONS
from .gen.table import SeatPolicy
from .internals import CallOptions, Connection, lower_case
from .transport import HttpRequest


def policy_of(operation: str, seat: str) -> SeatPolicy:
    """The policy of a seat of an operation, as the documents give it (TW-RET-001)."""
    return OPERATIONS[operation].seats[seat]


def request_of(
    connection: Connection,
    operation: str,
    *,
    path: Mapping[str, str] | None = None,
    query: Mapping[str, str | int | None] | None = None,
    headers: Mapping[str, str | None] | None = None,
    body: str | None = None,
    options: CallOptions | None = None,
) -> HttpRequest:
    """The request of an operation at a connection. ``body`` is exact JSON text; what is None is left out."""
    row = OPERATIONS[operation]
    segments = path or {}
    target = re.sub(r"\{(\w+)\}", lambda found: quote(segments[found.group(1)], safe="-_.!~*'()"), row.path)
    asked = {name: value for name, value in (query or {}).items() if value is not None}
    if asked:
        target = f"{target}?{urlencode(asked)}"
    return wire_request(connection, row.method, connection._prefix + target, headers or {}, body, options)


def wire_request(
    connection: Connection,
    method: str,
    target: str,
    headers: Mapping[str, str | None],
    body: str | None,
    options: CallOptions | None,
) -> HttpRequest:
    """A request with the headers that all of ours carry; the token goes to the connection's own origin alone."""
    of_call = {} if options is None else lower_case(options.headers)
    given = {name: value for name, value in headers.items() if value is not None}
    all_headers = {**connection._headers, **of_call, **given}
    if body is not None:
        all_headers["content-type"] = "application/json"
    accept = all_headers.get("accept", "*/*")
    # An error is a problem whatever else was asked for (TW-GEN-004); a peer that negotiates keeps to what is accepted.
    if re.search(r"problem\+json|\*", accept) is None:
        all_headers["accept"] = f"{accept}, application/problem+json"
    check_headers(all_headers, "headers")
    return HttpRequest(method, connection._origin, target, all_headers, body)
