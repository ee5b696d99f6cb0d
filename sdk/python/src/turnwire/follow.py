"""Polling a pick that was taken (TW-RET-012, TW-RET-013)."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Union

from .gen.protocol import CONSTANTS
from .limits import BROKEN_RECEIPTS
from .meaning import says
from .outcome import Delivered, Outcomes
from .poll import poll_request
from .receipt import read_delivery
from .request import policy_of
from .retry import Stop
from .seat import Attempt, SeatCall
from .wire import Outstanding, Receipt

OnOutstanding = Callable[[str], Union[Awaitable[None], None]]


async def announce(listener: OnOutstanding | None, delivery_id: str) -> None:
    """Tells who listens that the pick is outstanding, and waits for it."""
    if listener is None:
        return
    waited = listener(delivery_id)
    if inspect.isawaitable(waited):
        await waited


async def follow_delivery(pick: SeatCall, iid: str, outcomes: Outcomes, listener: OnOutstanding | None) -> Delivered:
    """Polls until it is answered or the turn is over, without a window (seat ``delivery_poll``)."""
    # Without an id there is nothing to ask by: a base Orchestrator whose answer was lost.
    if outcomes.delivery_id is None:
        return outcomes.taken_turn_ended() if pick.aborted else outcomes.taken_answer_lost()
    options = replace(pick.options, window_ms=None, attempt_ms=None)
    policy = policy_of("readDelivery", "delivery_poll")
    polls = SeatCall(pick.connection, "delivery_poll", policy, options)
    answered = False
    try:
        delivered = await _poll_until_answered(polls, iid, outcomes, listener)
        answered = delivered.receipt is not None
        return delivered
    finally:
        polls.finish(answered)


async def _poll_until_answered(
    polls: SeatCall, iid: str, outcomes: Outcomes, listener: OnOutstanding | None
) -> Delivered:
    seconds = CONSTANTS.poll_wait_seconds
    broken = 0
    while not polls.aborted:
        request = poll_request(polls.connection, iid, outcomes.delivery_id or "", seconds, polls.options)
        attempt = await polls.attempt(request, poll_ms=seconds * 1000)
        taken = attempt.verdict.certainty == "delivered"
        read = read_delivery(attempt.answer) if taken and attempt.answer is not None else None
        if isinstance(read, Receipt):
            return outcomes.of_receipt(read)
        if isinstance(read, Outstanding) and not polls.aborted:
            await announce(listener, read.delivery_id)
            listener = None
        attempt.answer_lost = taken and read is None
        broken = broken + 1 if attempt.answer_lost else 0
        if broken >= BROKEN_RECEIPTS and not polls.aborted:
            return outcomes.taken_answer_lost(attempt.reason)
        decision = await polls.next(attempt)
        if isinstance(decision, Stop) and decision.because != "aborted":
            return _ended(attempt, outcomes)
    return outcomes.taken_turn_ended()


def _ended(attempt: Attempt, outcomes: Outcomes) -> Delivered:
    """A 404 to a taken pick says that its turn is over and its receipt gone; another refusal, that it cannot be had."""
    gone = says(attempt.said, "turn_over", "unknown_delivery")
    return outcomes.taken_turn_ended() if gone else outcomes.taken_answer_lost(attempt.reason)
