"""The seat ``stream``: waiting on a Submission."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from typing import Union
from urllib.parse import SplitResult, parse_qsl, urlencode, urljoin, urlsplit

from .arguments import check_text, need
from .certainty import Answer, header_of
from .gen.protocol import CONSTANTS, HEADERS
from .gen.table import AnswerMatch, SeatPolicy
from .internals import CallOptions, Connection
from .meaning import documented, refuses_credential, says
from .request import policy_of, wire_request
from .retry import Stop
from .seat import Attempt, FaultMeaning, SeatCall
from .transport import HttpRequest
from .wire import Settlement, StreamRecord, UnknownRecord, model_of, record_of

Record = Union[StreamRecord, UnknownRecord]


def wait(connection: Connection, *, stream_url: str, offset: str, options: CallOptions | None = None) -> Wait:
    """Waits on a stream from an offset: catch-up first, then long-polls (seat ``stream``).

    A cut is resumed at the same offset for as long as it takes (TW-RET-014); the records end with ``submission.settled``.

    :param stream_url: As it was admitted, or its path and query; only the connection's own origin is asked (TW-RUN-013).
    :raises ArgumentError: naming the argument that is wrong.

    While iterating, ``TurnwireFault``: ``conversation_lost`` (404 ``unknown_conversation``), ``stream_gone`` (410),
    ``unauthorized``, ``forbidden``, ``bad_response``, ``aborted``.
    """
    check_text(stream_url, "stream_url")
    check_text(offset, "offset")
    try:
        url = urlsplit(urljoin(f"{connection._origin}/", stream_url))
        fine = url.scheme in ("http", "https") and bool(url.netloc)
    except ValueError:
        fine = False
    need(fine, "stream_url", "a URL, or a path and query")
    return Wait(connection, url, offset, options)


class Wait:
    """A wait on a Submission: an async iterator of its records, and how it ended."""

    def __init__(self, connection: Connection, url: SplitResult, offset: str, options: CallOptions | None) -> None:
        self._connection = connection
        self._url = url
        self._offset = offset
        self._options = options
        self._settlement: Settlement | None = None
        self._failure: BaseException | None = None
        self._records = self._read()

    @property
    def offset(self) -> str:
        """Everything before it has been yielded: a wait that is begun here misses nothing."""
        return self._offset

    def __aiter__(self) -> Wait:
        return self

    async def __anext__(self) -> Record:
        return await self._records.__anext__()

    async def settlement(self) -> Settlement:
        """Follows the stream to the Settlement.

        Use it instead of iterating, or after: the records that it passes are not yielded again.
        """
        async for _ in self:
            pass
        if self._settlement is not None:
            return self._settlement
        raise self._failure or RuntimeError("the wait was given up before its Settlement")

    async def aclose(self) -> None:
        """Gives the wait up. One that was iterated to its end is over already."""
        await self._records.aclose()

    async def _read(self) -> AsyncGenerator[Record, None]:
        call = SeatCall(self._connection, "stream", policy_of("readConversation", "stream"), self._options)
        ok = False
        try:
            if call.aborted:
                raise call.fault(None, "aborted")
            self._check_origin(call)
            asked = _Position(self._offset)
            while self._settlement is None:
                page = await _one_page(call, self._url, asked)
                for record in page.records:
                    if record["type"] == "submission.settled":
                        self._settlement = model_of(Settlement, _settlement_of(record))
                    yield record_of(record)
                self._offset = page.at.offset
                asked = page.at
                # TW-STR-023: an end without a Settlement is a loss, and no empty stream.
                if self._settlement is None and page.closed:
                    raise call.fault(page.attempt, "final", _bad("the stream is closed and holds no Settlement"))
            ok = True
        except BaseException as error:
            self._failure = error
            raise
        finally:
            call.finish(ok)

    def _check_origin(self, call: SeatCall) -> None:
        origin = f"{self._url.scheme}://{self._url.netloc}"
        if origin == self._connection._origin:
            return
        elsewhere: FaultMeaning = {**_bad(f"the stream is on another origin, {origin}"), "certainty": "answered"}
        raise call.fault(None, "final", elsewhere)


@dataclass(frozen=True)
class _Position:
    """Where the next page begins."""

    offset: str
    live: bool = False
    cursor: str | None = None


@dataclass(frozen=True)
class _StreamPage:
    records: list[dict[str, object]]
    at: _Position
    """Behind it."""
    closed: bool
    attempt: Attempt


async def _one_page(call: SeatCall, url: SplitResult, at: _Position) -> _StreamPage:
    """One page that brought something: records, the turn to long-polls, or the end."""
    asked = at
    while True:
        poll_ms = CONSTANTS.poll_wait_seconds * 1000 if asked.live else 0
        attempt = await call.attempt(_page_request(call, url, asked), poll_ms=poll_ms)
        if attempt.too_long:
            raise call.fault(attempt, "final", _bad("a page that is longer than any that we take"))
        page = None if attempt.answer_lost else _read_page(attempt, asked, call)
        if page is not None and (page.records or page.closed or page.at.live != asked.live):
            call.answered()
            return page
        if page is not None:
            asked = page.at
        decision = await call.next(attempt, None, call.policy if page is None else _asking_on(call.policy, attempt))
        if isinstance(decision, Stop):
            raise call.fault(attempt, decision.because, _meaning(attempt) if decision.because == "final" else None)


def _asking_on(policy: SeatPolicy, attempt: Attempt) -> SeatPolicy:
    """A page that brings nothing is asked for again, whether it came as 204 or as 200."""
    if attempt.said is None:
        return policy
    status = attempt.said.status
    return replace(policy, answers=(*policy.answers, AnswerMatch((status, status))))


def _page_request(call: SeatCall, url: SplitResult, at: _Position) -> HttpRequest:
    # What the stream's own URL asks for is kept; it is opaque (TW-ADM-012).
    query = dict(parse_qsl(url.query, keep_blank_values=True))
    query["offset"] = at.offset
    if at.live:
        query["live"] = "long-poll"
        if at.cursor is not None:
            query["cursor"] = at.cursor
    return wire_request(call.connection, "GET", f"{url.path or '/'}?{urlencode(query)}", {}, None, call.options)


def _read_page(attempt: Attempt, asked: _Position, call: SeatCall) -> _StreamPage | None:
    """An answer as a page; None when there is none, a fault when it breaks the protocol."""
    answer = attempt.answer
    if answer is None or attempt.verdict.certainty != "delivered":
        return None
    records = _records_of(answer)
    if records is None:
        attempt.answer_lost = True
        return None
    offset = header_of(answer, HEADERS.stream_next_offset)
    # A page without the offset after it, or with records and the offset before them, would be read for ever.
    if not offset:
        raise call.fault(attempt, "final", _bad("an answer without Stream-Next-Offset"))
    if records and offset == asked.offset:
        raise call.fault(attempt, "final", _bad("records without a new offset"))
    live = asked.live or header_of(answer, HEADERS.stream_up_to_date) == "true"
    cursor = header_of(answer, HEADERS.stream_cursor) or asked.cursor
    closed = header_of(answer, HEADERS.stream_closed) == "true"
    return _StreamPage(records, _Position(offset, live, cursor), closed, attempt)


def _records_of(answer: Answer) -> list[dict[str, object]] | None:
    row = documented("readConversation", answer.status)
    if row is not None and row.means == "nothing_new":
        return []
    body = answer.body
    if not isinstance(body, list) or not all(isinstance(each, dict) and "type" in each for each in body):
        return None
    return body


def _settlement_of(record: Mapping[str, object]) -> dict[str, object]:
    return {name: record[name] for name in ("outcome", "error") if name in record}


def _meaning(attempt: Attempt) -> FaultMeaning | None:
    """A 404 ends a conversation only as ``unknown_conversation``, a 410 only as ``stream_gone`` (TW-RET-026)."""
    said = attempt.said
    if said is None or says(said, "stream_gone") or refuses_credential(said):
        return None
    return {"code": "conversation_lost" if says(said, "unknown_conversation") else "bad_response"}


def _bad(reason: str) -> FaultMeaning:
    return {"code": "bad_response", "reason": reason}
