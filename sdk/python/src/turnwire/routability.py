"""What re-sending cost a seat (TW-RET-022, TW-RET-023)."""

from __future__ import annotations

from dataclasses import dataclass

from .clock import Clock
from .gen.protocol import CONSTANTS


@dataclass(frozen=True)
class RoutabilityLine:
    """What a seat that needed more than one attempt says when it is over. Never a token, never a query."""

    msg: str
    """The whole line, literally: ``turnwire.routability seat=admission attempts=3 ms=502 last=<errno> url=http://…``."""
    seat: str
    attempts: int
    """The first attempt and every one that followed a failure; answers that were waited for are not counted."""
    ms: int
    """Milliseconds from the first failed attempt's start to the answer after it, all of them together."""
    last: str
    """The last failure: an errno, an evidence name, or the code or status of an answer."""
    url: str
    """Origin and path of the last request."""
    ok: bool
    """Whether the seat got its answer in the end."""
    within_budget: bool
    """Whether both meters of the budget were held: neither alone sees every kind of trouble."""


class Meter:
    """Counts what re-sending cost one seat."""

    def __init__(self, seat: str, clock: Clock) -> None:
        self._seat = seat
        self._clock = clock
        self._failures = 0
        self._lost_ms = 0.0
        self._trouble_since: float | None = None
        self._last = ""

    def failed(self, started_at: float, last: str) -> None:
        """An attempt that began at ``started_at`` failed, and the seat goes on."""
        self._failures += 1
        self._last = last
        if self._trouble_since is None:
            self._trouble_since = started_at

    def answered(self) -> None:
        """The peer answered."""
        if self._trouble_since is not None:
            self._lost_ms += self._clock.now() - self._trouble_since
            self._trouble_since = None

    def line(self, url: str, ok: bool) -> RoutabilityLine | None:
        """The line of a seat that is over; None when one attempt was enough."""
        if self._failures == 0:
            return None
        self.answered()
        attempts, ms = self._failures + 1, round(self._lost_ms)
        msg = f"turnwire.routability seat={self._seat} attempts={attempts} ms={ms} last={self._last} url={url}"
        within = ms <= CONSTANTS.budget_ms and attempts <= CONSTANTS.budget_attempts
        return RoutabilityLine(msg, self._seat, attempts, ms, self._last, url, ok, within)
