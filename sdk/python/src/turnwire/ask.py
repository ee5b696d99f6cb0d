"""A question with one answer: what most seats are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .certainty import Answer
from .internals import CallOptions, Connection
from .meaning import documented
from .request import policy_of
from .retry import Because, Fences, Stop
from .seat import Attempt, FaultMeaning, SeatCall
from .transport import HttpRequest
from .wire import WireModel, model_of

Value = TypeVar("Value")
Model = TypeVar("Model", bound=WireModel)


@dataclass(frozen=True)
class Answered(Generic[Value]):
    """An answer, and what it cost."""

    value: Value
    answer: Answer
    attempts: int
    elapsed_ms: float


async def ask(
    connection: Connection,
    seat: str,
    operation: str,
    request: HttpRequest,
    decode: Callable[[Answer], Value | None],
    *,
    options: CallOptions | None = None,
    fences: Fences | None = None,
    poll_ms: float = 0,
    means: Callable[[Attempt, Because], FaultMeaning | None] | None = None,
) -> Answered[Value]:
    """Asks until there is an answer or the seat's policy ends it with a fault.

    :param decode: Reads an answer of ours below 400; None: its body makes no sense, which is as good as lost.
    :param poll_ms: Milliseconds that the peer may park it.
    :param means: What a final answer means here, where its own code is not what the caller is told.
    """
    call = SeatCall(connection, seat, policy_of(operation, seat), options)
    ok = False
    try:
        if call.aborted:
            raise call.fault(None, "aborted")
        while True:
            attempt = await call.attempt(request, poll_ms=poll_ms)
            value = _decoded(attempt, operation, decode)
            if value is not None and attempt.answer is not None:
                ok = True
                return Answered(value, attempt.answer, call.attempts, call.elapsed_ms)
            decision = await call.next(attempt, fences)
            if isinstance(decision, Stop):
                because = decision.because
                told = None if because == "aborted" or means is None else means(attempt, because)
                raise call.fault(attempt, because, told)
    finally:
        call.finish(ok)


def _decoded(attempt: Attempt, operation: str, decode: Callable[[Answer], Value | None]) -> Value | None:
    if attempt.answer is None or attempt.answer_lost or not _is_good(attempt, operation):
        return None
    value = decode(attempt.answer)
    if value is None and attempt.verdict.certainty == "delivered":
        attempt.answer_lost = True
    return value


def _is_good(attempt: Attempt, operation: str) -> bool:
    """A 2xx, or another answer that the documents call taken: that nothing has changed, say."""
    if attempt.verdict.certainty == "delivered":
        return True
    row = None if attempt.answer is None else documented(operation, attempt.answer.status)
    return row is not None and row.taken is True


def object_of(answer: Answer) -> dict[str, Any] | None:
    """A body that is a JSON object."""
    return answer.body if isinstance(answer.body, dict) else None


def object_with(model: type[Model], *members: str) -> Callable[[Answer], Model | None]:
    """Reads a body that is a JSON object with these members, each a string."""

    def decode(answer: Answer) -> Model | None:
        body = object_of(answer)
        fine = body is not None and all(isinstance(body.get(name), str) for name in members)
        return model_of(model, body) if fine and body is not None else None

    return decode
