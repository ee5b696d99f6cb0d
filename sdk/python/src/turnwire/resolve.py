"""Finding out what became of a pick of unknown fate (TW-RET-009, TW-RET-010, TW-RET-011)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Literal, Union

from .gen.protocol import CONSTANTS
from .gen.table import SeatPolicy
from .meaning import says
from .receipt import read_delivery
from .request import policy_of
from .retry import Stop, is_reasked, rung_ms
from .seat import Attempt, SeatCall
from .transport import HttpRequest
from .wire import Outstanding, Receipt


@dataclass(frozen=True)
class Lost:
    """``body_lost``: it was taken, and the lookup's own answer is lost. ``stays_unknown``: nobody said anything."""

    kind: Literal["body_lost", "stays_unknown"]
    reason: str


Found = Union[Receipt, Outstanding, Lost, Literal["not_taken_so_far", "turn_over", "aborted"]]
"""What a lookup found."""


async def look_up(call: SeatCall, request: HttpRequest) -> Found:
    """Looks a delivery up until there is a word of the Orchestrator or the pick's window ends."""
    polling = policy_of("readDelivery", "delivery_poll")
    # A lookup is a read: asked again like a poll, within what is left of the pick's own window.
    policy = replace(polling, window_ms=call.policy.window_ms, answer_resets=False)
    own = call.options.attempt_ms
    while True:
        attempt = await call.attempt(request, counted=False, timeout_ms=polling.attempt_ms if own is None else own)
        found = _word_of(attempt)
        if found is not None:
            return found
        if call.aborted:
            return "aborted"
        decision = await call.next(attempt, None, policy)
        if isinstance(decision, Stop):
            return "aborted" if decision.because == "aborted" else Lost("stays_unknown", attempt.reason)


async def look_up_after_abort(call: SeatCall, request: HttpRequest) -> Union[Receipt, Literal["taken"], None]:
    """After the call was aborted: looks only, and for at most 2 s (TW-RET-011).

    :returns: The receipt, ``taken`` without one, or None when it stays unknown.
    """
    connection = call.connection
    clock = connection._clock
    until = clock.now() + CONSTANTS.abort_lookup_ms
    policy = policy_of("readDelivery", "delivery_poll")
    # The call's own end is spent; what bounds this is its time.
    never = asyncio.Event()
    rung = 0
    while not connection._closed:
        left = until - clock.now()
        if left <= 0:
            return None
        attempt = await call.attempt(request, counted=False, timeout_ms=left, aborted=never)
        found = _word_of(attempt)
        if isinstance(found, Receipt):
            return found
        if isinstance(found, (Outstanding, Lost)):
            return "taken"
        if found != "not_taken_so_far" and not (found is None and _may_change(attempt, policy)):
            return None
        pause = min(rung_ms(rung, connection._random), max(0.0, until - clock.now()))
        await call.sleep(pause, through_abort=True)
        rung += 1
    return None


def _word_of(attempt: Attempt) -> Found | None:
    """What an answer to a lookup settles; None: ask again, if that may be asked again."""
    if attempt.verdict.certainty == "delivered":
        delivery = None if attempt.answer is None else read_delivery(attempt.answer)
        return Lost("body_lost", attempt.reason) if delivery is None else delivery
    if says(attempt.said, "unknown_delivery"):
        return "not_taken_so_far"
    return "turn_over" if says(attempt.said, "turn_over") else None


def _may_change(attempt: Attempt, policy: SeatPolicy) -> bool:
    if attempt.answer is not None and is_reasked(policy, attempt.answer.status, attempt.verdict.code):
        return True
    return attempt.verdict.certainty in ("unknown", "never_delivered")
