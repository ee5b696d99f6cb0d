"""What the seats need of a connection."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import httpx

from .arguments import check_base_url, check_header_text, check_headers
from .clock import Clock, SystemClock
from .gen.protocol import HEADERS, VERSION
from .gen.table import Certainty
from .pool import CallersPool, OwnPool, Pool
from .routability import RoutabilityLine
from .signal import AbortSignal

if TYPE_CHECKING:
    from .seat import SeatCall


@dataclass(frozen=True)
class Retry:
    """Said before each sleep of the ladder."""

    seat: str
    attempt: int
    """Attempts so far."""
    delay_ms: float
    """Milliseconds until the next one."""
    certainty: Certainty
    last: str
    """As in :attr:`RoutabilityLine.last`."""


@dataclass(frozen=True)
class CallOptions:
    """Options of one call; every seat takes them as its last argument."""

    signal: AbortSignal | None = None
    """Ends the call. What had been sent by then is ``unknown``."""
    window_ms: float | None = None
    """Milliseconds that re-sends may take, in place of the seat's own window. 0: a single attempt."""
    attempt_ms: float | None = None
    """Milliseconds that one attempt may take, in place of the seat's own timer."""
    headers: Mapping[str, str] = field(default_factory=dict)
    on_retry: Callable[[Retry], None] | None = None


@dataclass
class Hooks:
    """Who listens to a connection."""

    log: Callable[[RoutabilityLine], None] | None
    metric: Callable[[RoutabilityLine], None] | None
    on_retry: Callable[[Retry], None] | None


class Connection:
    """One peer at one address, as the seats see it."""

    def __init__(
        self,
        base_url: str,
        *,
        token: str | None = None,
        verify: ssl.SSLContext | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Clock | None = None,
        random: Callable[[], float] = random.random,
        log: Callable[[RoutabilityLine], None] | None = None,
        metric: Callable[[RoutabilityLine], None] | None = None,
        on_retry: Callable[[Retry], None] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        url = check_base_url(base_url, "base_url")
        own = {"host": url.netloc, "accept": "application/json", HEADERS.version: VERSION}
        if token is not None:
            check_header_text(token, "token")
            own["authorization"] = f"Bearer {token}"
        given = lower_case(headers or {})
        check_headers(given, "headers")
        self.base_url = base_url
        self._origin = f"{url.scheme}://{url.netloc}"
        self._prefix = url.path.rstrip("/")
        self._headers = {**own, **given}
        self._clock: Clock = clock or SystemClock()
        self._random = random
        self._hooks = Hooks(log, metric, on_retry)
        self._closed = False
        self._calls: set[SeatCall] = set()
        self._pool: Pool | None = None if transport is None else CallersPool(transport)
        self._verify = verify
        self._secure = url.scheme == "https"

    def __repr__(self) -> str:
        # Without the token, which is among the headers.
        return f"<{type(self).__name__} {self.base_url}>"

    def _own_pool(self) -> Pool:
        # Made with the first call: only then is there a loop that it belongs to.
        if self._pool is None:
            self._pool = OwnPool(self._verify or (trusting() if self._secure else trusting_none()))
        return self._pool

    async def _close(self) -> None:
        self._closed = True
        for call in list(self._calls):
            call.abort()
        # Each of them ends its socket itself, and then takes itself out.
        ended = [call.over for call in self._calls]
        if ended:
            await asyncio.gather(*(over.wait() for over in ended))
        if self._pool is not None:
            await self._pool.close()


def trusting() -> ssl.SSLContext:
    """The machine's own trust, as httpx has it."""
    return httpx.create_ssl_context()


def trusting_none() -> ssl.SSLContext:
    """For a peer that is spoken to without TLS: nothing is ever verified with it."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def lower_case(headers: Mapping[str, str]) -> dict[str, str]:
    """Header names are compared without case: of two spellings the later one counts."""
    return {name.lower(): value for name, value in headers.items()}
