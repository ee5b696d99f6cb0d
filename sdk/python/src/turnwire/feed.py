"""The seat ``feed``: what happens to runs, as it is committed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from .arguments import check_segment
from .certainty import Answer, header_of, is_ours
from .gen.protocol import OperationId
from .internals import CallOptions, Connection
from .json_text import parsed
from .limits import FEED_BACKLOG, FEED_SILENCE_MS
from .request import policy_of, request_of
from .retry import Stop
from .seat import Attempt, SeatCall
from .sse import Parser
from .wire import FeedEvent


def run_events(
    connection: Connection, *, run_id: str | None = None, options: CallOptions | None = None
) -> AsyncGenerator[FeedEvent, None]:
    """Follows a feed (seat ``feed``): of one run until its terminal status, or of all runs for as long as it is read.

    A cut is followed by a new ``snapshot``, the whole state as it is committed then (TW-FED-001): what lies between is not
    repeated. The window of 30 s counts from the last time that the feed was open. Who leaves before the end closes the
    generator (``aclose()``, or ``contextlib.aclosing``), which ends the request.

    While iterating, ``TurnwireFault``: ``unknown_run``, the code of another final answer, ``unreachable``, ``aborted``.

    :raises ArgumentError: naming the argument that is wrong.
    """
    if run_id is not None:
        check_segment(run_id, "run_id")
    return _follow(connection, run_id, options)


async def _follow(
    connection: Connection, run_id: str | None, options: CallOptions | None
) -> AsyncGenerator[FeedEvent, None]:
    operation: OperationId = "readEvents" if run_id is None else "readRunEvents"
    path = {} if run_id is None else {"runId": run_id}
    headers = {"accept": "text/event-stream"}
    request = request_of(connection, operation, path=path, headers=headers, options=options)
    call = SeatCall(connection, "feed", policy_of(operation, "feed"), options)
    ok = False
    try:
        if call.aborted:
            raise call.fault(None, "aborted")
        while not ok:
            frames = _Frames(call)
            reading = asyncio.ensure_future(call.attempt(request, timeout_ms=FEED_SILENCE_MS, sink=frames))
            reading.add_done_callback(frames.close)
            try:
                while (event := await frames.taken()) is not None:
                    yield event
                    ok = ok or (run_id is not None and _is_terminal(event))
            finally:
                # A reader that leaves ends the request, not only its own interest in it.
                reading.cancel()
                await asyncio.wait({reading})
            if not ok:
                await _again(call, reading.result(), frames.opened)
    finally:
        call.finish(ok)


async def _again(call: SeatCall, attempt: Attempt, opened: bool) -> None:
    """Sleeps the ladder before the feed is opened anew, or faults."""
    # A feed that was open and ended is a cut, however cleanly it ended.
    attempt.answer_lost = opened
    decision = await call.next(attempt)
    if isinstance(decision, Stop):
        raise call.fault(attempt, decision.because)


def _is_terminal(event: FeedEvent) -> bool:
    """The terminal status of a run: what its feed ends with (TW-FED-005)."""
    if event.event not in ("run.status", "snapshot"):
        return False
    runs = event.data.get("runs") if event.event == "snapshot" else None
    first = (runs[0] if runs else None) if isinstance(runs, list) else event.data
    return isinstance(first, dict) and first.get("status") in ("done", "error", "cancelled")


class _Frames:
    """The frames of one response, as they come."""

    def __init__(self, call: SeatCall) -> None:
        self.opened = False
        self.queue: asyncio.Queue[FeedEvent | None] = asyncio.Queue()
        """None is the end, which always finds room: the bound is kept by :meth:`taken`."""
        self._room = asyncio.Semaphore(FEED_BACKLOG)
        self._call = call
        self._parser = Parser()

    def head(self, answer: Answer) -> None:
        content_type = header_of(answer, "content-type") or ""
        self.opened = is_ours(answer) and content_type.startswith("text/event-stream")
        if self.opened:
            self._call.answered()

    async def chunk(self, text: str) -> None:
        if not self.opened:
            return
        for name, last_id, data in self._parser.feed(text):
            value: Any = parsed(data)
            # A frame that is no JSON object is nothing that a reader knows (TW-FED-006).
            if isinstance(value, dict):
                await self._room.acquire()
                self.queue.put_nowait(FeedEvent(name, value, last_id))

    async def taken(self) -> FeedEvent | None:
        """The next frame, or None at the end."""
        event = await self.queue.get()
        self._room.release()
        return event

    def close(self, _: object) -> None:
        self.queue.put_nowait(None)
