"""One attempt on httpx: what came of it, as far as it came.

Nothing is judged here and nothing is sent twice; a redirect is an answer like any other (TW-CER-020).
"""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx

from .certainty import Answer
from .gen.protocol import CONSTANTS, EvidenceName
from .json_text import parsed
from .limits import ANSWER_BYTES


@dataclass(frozen=True)
class HttpRequest:
    """What is sent."""

    method: str
    origin: str
    target: str
    """Path and query."""
    headers: Mapping[str, str]
    body: str | None = None


@dataclass(frozen=True)
class Exchange:
    """What came of one attempt."""

    response: Answer | None = None
    error: BaseException | None = None
    kind: EvidenceName | None = None
    """Evidence that is known by name."""
    aborted: bool = False
    """The caller had aborted when it ended."""


class BodySink(Protocol):
    """A reader of a body that does not end."""

    def head(self, answer: Answer) -> None:
        """The status line and the headers of a good answer."""
        ...

    async def chunk(self, text: str) -> None:
        """A piece of its body. While this waits nothing more is read from the socket."""
        ...


Hold = Callable[[], Awaitable[None]]
"""Awaited between the connection and the first byte; when it raises, nothing is written."""


@dataclass
class _Progress:
    """How far an attempt has come."""

    timeout_ms: float
    deadline: float = 0.0
    answer: Answer | None = None
    """Its status line and headers."""
    whole: bool = False
    body: object = None
    refused: BaseException | None = None
    """What ``hold`` raised."""
    too_long: bool = False
    reading: bool = field(default=True)
    """The peer may speak; the silence of a reader is not the peer's."""

    def touch(self) -> None:
        self.deadline = asyncio.get_running_loop().time() + self.timeout_ms / 1000


class _TooLong(Exception):
    """The body is longer than any that is taken."""


async def exchange(
    transport: httpx.AsyncBaseTransport,
    request: HttpRequest,
    *,
    timeout_ms: float,
    aborted: asyncio.Event,
    sink: BodySink | None = None,
    hold: Hold | None = None,
) -> Exchange:
    """Runs one attempt.

    Whatever ends it, an abort, its timer or the end of the task that runs it, its socket is closed when this returns.

    :param timeout_ms: Milliseconds for the whole attempt, or for each silence of a ``sink``.
    :param aborted: Ends it when it is set.
    :param hold: See :data:`Hold`.
    """
    if aborted.is_set():
        return Exchange(aborted=True)
    progress = _Progress(timeout_ms)
    progress.touch()
    work = asyncio.ensure_future(_perform(transport, request, progress, sink, hold))
    abort = asyncio.ensure_future(aborted.wait())
    try:
        ended_by = await _first(work, abort, progress)
    finally:
        await _end(abort)
        await _end(work)
    return _outcome(work, progress, ended_by)


async def _first(work: asyncio.Future[None], abort: asyncio.Future[Any], progress: _Progress) -> str:
    """What came first: the end of the work, the abort, or the end of its time."""
    while True:
        left = progress.deadline - asyncio.get_running_loop().time()
        if left <= 0 and progress.reading:
            return "timeout"
        pause = left if progress.reading else progress.timeout_ms / 1000
        await asyncio.wait({work, abort}, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return "work"
        if abort.done():
            return "abort"


async def _end(task: asyncio.Future[Any]) -> None:
    """Cancels a task and waits until nothing of it is left."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})


def _outcome(work: asyncio.Future[None], progress: _Progress, ended_by: str) -> Exchange:
    error = None if work.cancelled() else work.exception()
    if progress.whole and progress.answer is not None:
        # All of it came, be it in the moment of an abort.
        answer = progress.answer
        return Exchange(response=Answer(answer.status, answer.headers, progress.body))
    # A status line that came counts, whatever became of the body (TW-CER-010, TW-CER-011).
    cut = None if progress.answer is None else Answer(progress.answer.status, progress.answer.headers, body_lost=True)
    if progress.refused is not None:
        return Exchange(response=cut, error=progress.refused, kind="connect_failed")
    if progress.too_long:
        return Exchange(response=cut, kind="body_truncated")
    if ended_by == "abort":
        return Exchange(response=cut, aborted=True)
    if ended_by == "timeout":
        return Exchange(response=cut, kind="attempt_timeout")
    return Exchange(response=cut, error=error)


async def _perform(
    transport: httpx.AsyncBaseTransport,
    request: HttpRequest,
    progress: _Progress,
    sink: BodySink | None,
    hold: Hold | None,
) -> None:
    extensions: MutableMapping[str, Any] = {
        # The attempt's own timer ends it; httpx's say less. Only the dial has one (TW-RET-027).
        "timeout": {"connect": CONSTANTS.connect_timeout_ms / 1000, "read": None, "write": None, "pool": None}
    }
    if hold is not None:
        extensions["trace"] = _holding(hold, progress)
    headers = [(name.encode(), value.encode("latin-1")) for name, value in request.headers.items()]
    content = None if request.body is None else request.body.encode()
    url = f"{request.origin}{request.target}"
    response = await transport.handle_async_request(
        httpx.Request(request.method, url, headers=headers, content=content, extensions=extensions)
    )
    try:
        progress.answer = Answer(response.status_code, _headers_of(response))
        if sink is not None and response.status_code < CONSTANTS.error_from_status:
            await _pour(response, sink, progress)
        else:
            progress.body = await _collected(response, request.method, progress)
        progress.whole = True
    finally:
        await response.aclose()


def _holding(hold: Hold, progress: _Progress) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:
    """httpcore tells of each step and waits for who listens: this one comes between the connection and the first byte."""

    async def trace(step: str, _: Mapping[str, Any]) -> None:
        if not step.endswith("send_request_headers.started"):
            return
        try:
            await hold()
        except Exception as error:
            progress.refused = error
            raise

    return trace


def _headers_of(response: httpx.Response) -> Mapping[str, str | list[str]]:
    headers: dict[str, str | list[str]] = {}
    for name, value in response.headers.multi_items():
        known = headers.get(name)
        if known is None:
            headers[name] = value
        else:
            headers[name] = [*known, value] if isinstance(known, list) else [known, value]
    return headers


async def _collected(response: httpx.Response, method: str, progress: _Progress) -> object:
    """The body as JSON or text; None where there is none to read."""
    pieces: list[bytes] = []
    size = 0
    async for piece in _pieces(response):
        size += len(piece)
        if size > ANSWER_BYTES:
            progress.too_long = True
            raise _TooLong
        pieces.append(piece)
    text = b"".join(pieces).decode("utf-8", "replace")
    bodyless = method == "HEAD" or (text == "" and response.status_code < CONSTANTS.error_from_status)
    return None if bodyless else parsed(text.removeprefix("\ufeff"))


async def _pour(response: httpx.Response, sink: BodySink, progress: _Progress) -> None:
    progress.touch()
    assert progress.answer is not None
    sink.head(progress.answer)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    async for piece in _pieces(response):
        progress.reading = False
        await sink.chunk(decoder.decode(piece))
        progress.touch()
        progress.reading = True


def _pieces(response: httpx.Response) -> Any:
    """The bytes as they came: we ask for no encoding, and a mock may give a body that is there at once."""
    return response.aiter_raw()
