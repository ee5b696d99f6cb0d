"""A peer that answers as a test tells it, on real sockets, and remembers what arrived."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Union

VERSION = {"turnwire-version": "1"}


@dataclass(frozen=True)
class Arrived:
    """A request that was read whole."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


@dataclass(frozen=True)
class Reply:
    """An answer; ``None`` in its place: the connection is reset."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    """In place of an answer, these bytes; then the connection is closed."""
    after: asyncio.Event | None = None
    """Answered only then."""

    def bytes(self, head: bool) -> bytes:
        if self.raw is not None:
            return self.raw
        text = self.body if isinstance(self.body, str) else "" if self.body is None else json.dumps(self.body)
        headers = {
            "content-type": "application/json",
            **VERSION,
            "content-length": str(len(text.encode())),
            **self.headers,
        }
        if self.status in (204, 304):
            del headers["content-length"]
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"HTTP/1.1 {self.status} X\r\n{lines}\r\n{'' if head else text}".encode()


def problem(status: int, code: str, **more: Any) -> Reply:
    """An error of ours."""
    body = {
        "type": f"urn:turnwire:problem:{code}",
        "title": code,
        "status": status,
        "detail": "d",
        "code": code,
        **more,
    }
    return Reply(status, body, {"turnwire-code": code, "content-type": "application/problem+json"})


Script = Callable[[Arrived, int], Union[Reply, None, Awaitable[Union[Reply, None]]]]
"""What the n-th request (from 0) is answered with."""


@dataclass
class Peer:
    """A running peer."""

    url: str
    arrived: list[Arrived] = field(default_factory=list)
    open: set[asyncio.StreamWriter] = field(default_factory=set)
    accepted: int = 0

    async def settles(self, fine: Callable[[], bool]) -> None:
        """Waits for a condition that is about to hold."""
        async with asyncio.timeout(10) if hasattr(asyncio, "timeout") else _forever():
            while not fine():
                await asyncio.sleep(0.005)


@asynccontextmanager
async def _forever() -> AsyncIterator[None]:
    yield


@asynccontextmanager
async def peer_of(script: Script) -> AsyncIterator[Peer]:
    """Serves until the block is left."""
    peer = Peer("")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer.accepted += 1
        connection = peer.accepted
        peer.open.add(writer)
        try:
            while (request := await _read(reader, connection)) is not None:
                peer.arrived.append(request)
                given = script(request, len(peer.arrived) - 1)
                reply = await given if isinstance(given, Awaitable) else given
                if reply is None:
                    _reset(writer)
                    return
                if reply.after is not None and not await _comes(reply.after, reader):
                    return
                writer.write(reply.bytes(request.method == "HEAD"))
                await writer.drain()
                if reply.raw is not None:
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            peer.open.discard(writer)
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    peer.url = f"http://127.0.0.1:{port}"
    try:
        yield peer
    finally:
        server.close()
        for writer in list(peer.open):
            writer.transport.abort()
        await peer.settles(lambda: not peer.open)


async def _comes(event: asyncio.Event, reader: asyncio.StreamReader) -> bool:
    """Whether it comes before the client goes."""
    waits = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(reader.read(1))]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for each in waits:
        each.cancel()
    return event.is_set()


def _reset(writer: asyncio.StreamWriter) -> None:
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _read(reader: asyncio.StreamReader, connection: int) -> Arrived | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Arrived(method, target, headers, body, connection)


def refused_url() -> str:
    """An address where nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{sock.getsockname()[1]}"
