"""Each kind of failure, brought about on a real socket: what httpx raises, and what is proved by it.

For httpx blocking and on asyncio; the verdict is compared with what the peer read.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest

from turnwire import classify

Behaviour = Callable[[socket.socket], None]


def _read(peer: socket.socket) -> None:
    """The whole request, or what a client says first of TLS."""
    got = peer.recv(65536)
    while got.startswith(b"POST") and not got.endswith(b"\r\n\r\nx"):
        got += peer.recv(65536)


def _reset(peer: socket.socket) -> None:
    _read(peer)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _garbage(peer: socket.socket) -> None:
    _read(peer)
    peer.sendall(b"\x00\x01 no HTTP\r\n\r\n")


def _cut(peer: socket.socket) -> None:
    _read(peer)
    peer.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc")


def _silent(peer: socket.socket) -> None:
    _read(peer)
    while peer.recv(65536) != b"":
        pass


@contextmanager
def listening(behave: Behaviour) -> Iterator[int]:
    """A peer that accepts one connection."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        try:
            peer, _ = server.accept()
            with peer:
                peer.settimeout(5)
                behave(peer)
        except OSError:
            return

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()


TIMEOUT = httpx.Timeout(0.5)


def blocking(url: str) -> Exception:
    with httpx.Client(timeout=TIMEOUT, trust_env=False) as client:
        try:
            client.post(url, content=b"x")
        except Exception as error:
            return error
    raise AssertionError("nothing failed")


def on_asyncio(url: str) -> Exception:
    async def main() -> Exception:
        async with httpx.AsyncClient(timeout=TIMEOUT, trust_env=False) as client:
            try:
                await client.post(url, content=b"x")
            except Exception as error:
                return error
        raise AssertionError("nothing failed")

    return asyncio.run(main())


FLAVOURS = pytest.mark.parametrize("failure", [blocking, on_asyncio])


@FLAVOURS
@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://localhost:1/", "https://127.0.0.1:1/"])
def test_refused(failure: Callable[[str], Exception], url: str) -> None:
    verdict = classify(error=failure(url))
    assert (verdict.certainty, verdict.evidence, verdict.permanent) == ("never_delivered", "connect_failed", False)


@FLAVOURS
def test_a_name_that_does_not_resolve(failure: Callable[[str], Exception]) -> None:
    verdict = classify(error=failure("http://no-such-host.invalid/"))
    assert (verdict.certainty, verdict.evidence) == ("never_delivered", "lookup_failed")


@FLAVOURS
@pytest.mark.parametrize(
    ("behave", "evidence"),
    [
        (_reset, {"reset", "closed"}),
        (_read, {"unparsable", "closed", "reset"}),
        (_garbage, {"unparsable"}),
        (_silent, {"headers_timeout"}),
    ],
)
def test_what_was_read_is_never_proof(
    failure: Callable[[str], Exception], behave: Behaviour, evidence: set[str]
) -> None:
    with listening(behave) as port:
        verdict = classify(error=failure(f"http://127.0.0.1:{port}/"))
    assert verdict.certainty == "unknown"
    assert verdict.evidence in evidence


@FLAVOURS
def test_a_cut_body(failure: Callable[[str], Exception]) -> None:
    with listening(_cut) as port:
        assert classify(error=failure(f"http://127.0.0.1:{port}/")).certainty == "unknown"


@FLAVOURS
def test_a_peer_that_does_not_speak_tls(failure: Callable[[str], Exception]) -> None:
    with listening(_garbage) as port:
        verdict = classify(error=failure(f"https://127.0.0.1:{port}/"))
    assert (verdict.certainty, verdict.evidence, verdict.permanent) == ("never_delivered", "tls_rejected", True)


@FLAVOURS
@pytest.mark.parametrize("behave", [_reset, _read])
def test_a_handshake_that_is_cut(failure: Callable[[str], Exception], behave: Behaviour) -> None:
    with listening(behave) as port:
        verdict = classify(error=failure(f"https://127.0.0.1:{port}/"))
    assert (verdict.certainty, verdict.evidence) == ("unknown", "tls_failed")


def test_what_was_handled_before_is_no_cause() -> None:
    """TW-CER-019: a second request's failure, raised while the first one's was handled."""
    try:
        try:
            raise httpx.ConnectError("refused") from ConnectionRefusedError(111, "refused")
        except httpx.ConnectError:
            raise ValueError("the second request") from None
    except ValueError as error:
        assert classify(error=error).certainty == "unknown"


@pytest.mark.parametrize("thrown", [None, 0, "ECONNREFUSED", object(), ValueError, {"code": "ECONNREFUSED"}])
def test_anything_at_all(thrown: object) -> None:
    assert classify(error=thrown).certainty == "unknown"


def test_an_error_that_cannot_be_read() -> None:
    class Hostile(Exception):
        @property
        def code(self) -> str:
            raise RuntimeError("no")

        def __str__(self) -> str:
            raise RuntimeError("no")

    assert classify(error=Hostile()).certainty == "unknown"
