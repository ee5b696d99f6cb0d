"""Whether and when a seat sends again: pure, with clock and random source injected.

The policies are the documents' own (TW-RET-001).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Literal, Union

from .certainty import Verdict
from .gen.protocol import LADDER
from .gen.table import SeatPolicy
from .limits import UNBOUNDED_RETRY_AFTER_MS
from .meaning import is_listed

Because = Literal["final", "permanent", "policy", "exhausted", "aborted"]
"""Why a seat stops."""


@dataclass(frozen=True)
class RetryState:
    """Where a seat stands on its ladder."""

    started_at: float
    """``clock.now()`` at its first attempt, milliseconds."""
    rung: int = 0
    """Rungs climbed since the start, or since the ladder was last reset."""


@dataclass(frozen=True)
class AttemptOutcome:
    """What :func:`decide` looks at of one attempt."""

    verdict: Verdict
    status: int | None = None
    """The status of an answer of ours; None when there was none, or it was somebody else's."""
    answer_lost: bool = False
    """Our 2xx came, and its body was lost or makes no sense."""
    aborted: bool = False
    retry_after_ms: float | None = None
    ms: float = 0
    """Milliseconds that the attempt took: what a parked poll waited already is not waited again."""


@dataclass(frozen=True)
class Fences:
    """What the request carries that makes a second copy harmless."""

    same_key: bool = False
    same_store: bool = False
    """The store that every copy in doubt was meant for is named in it, and the peer honours that."""
    fenced: bool = False
    """It carries a fence, and the peer honours it."""


@dataclass(frozen=True)
class Again:
    """Send again, or (``resolve``) find out first and then perhaps send again (TW-RET-009)."""

    action: Literal["resend", "resolve"]
    delay_ms: float
    state: RetryState


@dataclass(frozen=True)
class Stop:
    """No further attempt."""

    because: Because


Decision = Union[Again, Stop]


def rung_ms(rung: int, random: Callable[[], float]) -> float:
    """Milliseconds of a rung, counted from 0: equal jitter, half floor and half uniformly random (TW-RET-017)."""
    full = LADDER.rungs_ms[min(rung, len(LADDER.rungs_ms) - 1)]
    return full * LADDER.floor_share + full * (1 - LADDER.floor_share) * random()


def retry_after_ms(value: str | None, date: str | None, wall_now: float) -> float | None:
    """``Retry-After`` in milliseconds, from whole seconds or an HTTP date; None when it is neither.

    :param date: The answer's own ``Date``, which makes a date independent of how the two clocks differ.
    :param wall_now: Milliseconds since 1970, for an answer without one.
    """
    trimmed = (value or "").strip()
    if trimmed == "":
        return None
    if re.fullmatch("[0-9]+", trimmed):
        return int(trimmed) * 1000.0
    until = _http_date(trimmed)
    if until is None:
        return None
    since = None if date is None else _http_date(date)
    return max(0.0, until - (wall_now if since is None else since))


_ASCTIME = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}")


def _http_date(text: str) -> float | None:
    """All three forms of RFC 9110; the one without a zone is UTC."""
    try:
        if _ASCTIME.fullmatch(text):
            moment = datetime.strptime(text, "%a %b %d %H:%M:%S %Y")
        elif re.match("(Mon|Tue|Wed|Thu|Fri|Sat|Sun)", text):
            moment = parsedate_to_datetime(text)
        else:
            return None
        return moment.replace(tzinfo=moment.tzinfo or timezone.utc).timestamp() * 1000
    except (ValueError, OverflowError):
        return None


def decide(
    policy: SeatPolicy,
    outcome: AttemptOutcome,
    state: RetryState,
    fences: Fences,
    *,
    now: float,
    random: Callable[[], float],
) -> Decision:
    """What a seat does after one attempt. ``now`` is in milliseconds, ``random`` uniform in [0, 1)."""
    if outcome.aborted:
        return Stop("aborted")
    wanted = _wanted(policy, outcome, fences)
    if wanted != "resend" and wanted != "resolve":
        return Stop(wanted)
    left = window_left(policy, state, now)
    if left <= 0:
        return Stop("exhausted")
    rung = 0 if _resets_ladder(policy, outcome) else state.rung
    longest = UNBOUNDED_RETRY_AFTER_MS if policy.window_ms is None else policy.window_ms
    delay = min(_pause(outcome, rung_ms(rung, random), longest), left)
    return Again(wanted, delay, replace(state, rung=rung + 1))


def window_left(policy: SeatPolicy, state: RetryState, now: float) -> float:
    """Milliseconds that are left of the window; infinite without one. A seat of a single attempt has none left at once."""
    return math.inf if policy.window_ms is None else policy.window_ms - (now - state.started_at)


_Wanted = Literal["resend", "resolve", "final", "permanent", "policy"]


def _wanted(policy: SeatPolicy, outcome: AttemptOutcome, fences: Fences) -> _Wanted:
    verdict = outcome.verdict
    # What a seat lists it asks again after, whatever the answer proves; every other answer is final (TW-RET-025).
    if outcome.status is not None and is_reasked(policy, outcome.status, verdict.code):
        return "resend"
    if verdict.permanent:
        return "permanent"
    if verdict.certainty == "never_delivered":
        return "resend" if policy.never_delivered == "resend" else "policy"
    # Taken, and what it said is lost: asking for it again is a second copy.
    lost = verdict.certainty == "delivered" and outcome.answer_lost
    return _after_unknown(policy, fences) if verdict.certainty == "unknown" or lost else "final"


def _after_unknown(policy: SeatPolicy, fences: Fences) -> Literal["resend", "resolve", "policy"]:
    if policy.unknown == "resolve":
        return "resolve"
    allowed = {
        "resend": True,
        "resend_same_key": fences.same_key,
        "resend_same_store": fences.same_key and fences.same_store,
        "resend_if_fenced": fences.fenced,
    }
    return "resend" if allowed.get(policy.unknown, False) else "policy"


def is_reasked(policy: SeatPolicy, status: int, code: str | None) -> bool:
    """Whether a seat asks again after an answer of ours."""
    return is_listed(policy.answers, status, code)


def _resets_ladder(policy: SeatPolicy, outcome: AttemptOutcome) -> bool:
    """A peer that answers is up (TW-RET-019). One whose answers arrive broken is not helped by hurry."""
    answered = outcome.verdict.certainty in ("delivered", "answered")
    return policy.answer_resets and answered and not outcome.answer_lost


def _pause(outcome: AttemptOutcome, rung: float, longest: float) -> float:
    """``Retry-After`` raises a rung; a poll that was parked has waited its rung already (TW-RET-018)."""
    asked = min(outcome.retry_after_ms or 0.0, longest)
    parked = outcome.ms if outcome.verdict.certainty == "delivered" and not outcome.answer_lost else 0.0
    return max(rung - parked, asked, 0.0)
