"""The seat ``history``: a conversation as it is now, and where its stream ends."""

from __future__ import annotations

from dataclasses import dataclass

from .arguments import check_iid, check_segment
from .ask import ask, object_of
from .certainty import Answer, header_of
from .gen.protocol import HEADERS
from .internals import CallOptions, Connection
from .request import request_of
from .wire import History, model_of


async def history(connection: Connection, *, name: str, iid: str, options: CallOptions | None = None) -> History:
    """Reads a whole conversation (seat ``history``, 30 s): messages, and every Submission with its state (TW-HIS-001).

    :raises TurnwireFault: ``unknown_conversation``, ``stream_gone``, the code of another final answer, ``unreachable``,
        ``aborted``.
    :raises ArgumentError: naming the argument that is wrong.
    """
    check_segment(name, "name")
    check_iid(iid)
    path = {"name": name, "iid": iid}
    request = request_of(connection, "readConversation", path=path, query={"view": "history"}, options=options)
    return (await ask(connection, "history", "readConversation", request, _decode, options=options)).value


@dataclass(frozen=True)
class StreamTail:
    """The end of a conversation's stream: where a wait that wants only what is new begins."""

    offset: str
    closed: bool
    """Whether nothing can come any more."""


async def stream_tail(
    connection: Connection,
    *,
    name: str,
    iid: str,
    submission: str | None = None,
    options: CallOptions | None = None,
) -> StreamTail:
    """Asks where a stream ends, without its records (seat ``history``, TW-STR-024).

    :param submission: That Submission's stream; without one the whole conversation's.
    :raises TurnwireFault: as :func:`history`.
    """
    check_segment(name, "name")
    check_iid(iid)
    query = {"view": "updates", "submission": submission}
    path = {"name": name, "iid": iid}
    request = request_of(connection, "headConversation", path=path, query=query, options=options)
    return (await ask(connection, "history", "headConversation", request, _tail_of, options=options)).value


def _decode(answer: Answer) -> History | None:
    body = object_of(answer)
    if body is None or not isinstance(body.get("messages"), list) or not isinstance(body.get("submissions"), list):
        return None
    return model_of(History, body)


def _tail_of(answer: Answer) -> StreamTail | None:
    offset = header_of(answer, HEADERS.stream_next_offset)
    closed = header_of(answer, HEADERS.stream_closed) == "true"
    return None if offset is None else StreamTail(offset, closed)
