"""What stands between the SDK and its sockets."""

from __future__ import annotations

import asyncio
import ssl
from typing import Protocol

import httpx

from .gen.protocol import CONSTANTS
from .limits import IDLE_SWEEP_MS


class Pool(Protocol):
    """Where one attempt gets its transport."""

    def borrow(self) -> httpx.AsyncBaseTransport:
        """What to send one attempt on."""
        ...

    async def give_back(self, used: httpx.AsyncBaseTransport, dial_anew: bool) -> None:
        """The attempt is over. ``dial_anew``: nothing more is sent on a socket of ``used`` (TW-RET-020)."""
        ...

    async def close(self) -> None:
        """Ends every socket of its own."""
        ...


class CallersPool:
    """A caller's transport: its sockets are the caller's business, and so is its end."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        self._transport = transport

    def borrow(self) -> httpx.AsyncBaseTransport:
        return self._transport

    async def give_back(self, used: httpx.AsyncBaseTransport, dial_anew: bool) -> None:
        return

    async def close(self) -> None:
        return


class OwnPool:
    """The connection's own sockets: dropped when idle (TW-RET-028), with a connect timeout of their own (TW-RET-027)."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        self._current = self._made()
        self._in_flight: dict[httpx.AsyncHTTPTransport, int] = {}
        self._retired: set[httpx.AsyncHTTPTransport] = set()
        self._sweep: asyncio.TimerHandle | None = None
        self._sweeping: set[asyncio.Task[None]] = set()

    def _made(self) -> httpx.AsyncHTTPTransport:
        limits = httpx.Limits(
            max_connections=None, max_keepalive_connections=None, keepalive_expiry=CONSTANTS.idle_socket_ms / 1000
        )
        # No proxy of the environment: a token goes to its own origin alone.
        return httpx.AsyncHTTPTransport(verify=self._context, limits=limits, trust_env=False, retries=0)

    def borrow(self) -> httpx.AsyncBaseTransport:
        self._stop_sweep()
        self._in_flight[self._current] = self._in_flight.get(self._current, 0) + 1
        return self._current

    async def give_back(self, used: httpx.AsyncBaseTransport, dial_anew: bool) -> None:
        assert isinstance(used, httpx.AsyncHTTPTransport)
        left = self._in_flight.pop(used, 1) - 1
        if left > 0:
            self._in_flight[used] = left
        # Of many seats that failed on one transport the first replaces it, and the others find it replaced.
        if dial_anew and used is self._current:
            self._current = self._made()
            self._retired.add(used)
        if left == 0 and used in self._retired:
            self._retired.discard(used)
            await used.aclose()
        if not self._in_flight:
            self._start_sweep()

    async def close(self) -> None:
        self._stop_sweep()
        for task in list(self._sweeping):
            await asyncio.wait({task})
        for each in (self._current, *self._retired, *self._in_flight):
            await each.aclose()
        self._retired.clear()

    def _start_sweep(self) -> None:
        self._stop_sweep()
        loop = asyncio.get_running_loop()
        self._sweep = loop.call_later(IDLE_SWEEP_MS / 1000, self._drop_idle)

    def _stop_sweep(self) -> None:
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None

    def _drop_idle(self) -> None:
        idle, self._current = self._current, self._made()
        task = asyncio.ensure_future(idle.aclose())
        self._sweeping.add(task)
        task.add_done_callback(self._sweeping.discard)
