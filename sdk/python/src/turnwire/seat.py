"""A seat: one call that may need several attempts.

It counts, judges, asks ``decide``, sleeps the ladder, and knows what is proved about all copies together. What an answer
means to the caller is for the seat's own file.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypedDict, TypeVar

from .arguments import check_ms, need
from .certainty import Answer, Verdict, classify, header_of, is_ours
from .fault import TurnwireFault
from .gen.protocol import CONSTANTS, HEADERS
from .gen.table import Certainty, SeatPolicy
from .internals import CallOptions, Connection, Retry
from .meaning import Said
from .reason import last_of, problem_of, reason_of
from .retry import Again, AttemptOutcome, Because, Decision, Fences, RetryState, Stop, decide, retry_after_ms
from .routability import Meter
from .signal import AbortSignal
from .transport import BodySink, Exchange, Hold, HttpRequest, exchange

Value = TypeVar("Value")


@dataclass
class Attempt:
    """One attempt, judged."""

    verdict: Verdict
    answer: Answer | None
    """An answer of ours, as far as it came."""
    answer_lost: bool
    """Our 2xx came, and its body is lost; a seat sets it too for one that makes no sense."""
    aborted: bool
    started_at: float
    ms: float
    last: str
    reason: str
    retry_after_ms: float | None
    error: BaseException | None
    too_long: bool
    """The body was longer than we take; it will be the next time."""

    @property
    def said(self) -> Said | None:
        """What the answer says, where there is one."""
        return None if self.answer is None else Said(self.answer.status, self.verdict.code)


class FaultMeaning(TypedDict, total=False):
    """What a final answer means to a seat's caller, where its own code is not what the caller is told."""

    code: str
    certainty: Certainty
    reason: str


class SeatCall:
    """A call of one seat at one connection."""

    def __init__(self, connection: Connection, seat: str, policy: SeatPolicy, options: CallOptions | None) -> None:
        options = options or CallOptions()
        check_ms(options.window_ms, "window_ms")
        check_ms(options.attempt_ms, "attempt_ms")
        need(options.signal is None or isinstance(options.signal, AbortSignal), "signal", "an AbortSignal")
        self.connection = connection
        self.seat = seat
        self.policy = policy if options.window_ms is None else replace(policy, window_ms=options.window_ms)
        self.options = options
        self.in_doubt = False
        """A copy may have had its effect, and no answer told."""
        self.attempts = 0
        self.url = connection._origin + connection._prefix
        self.over = asyncio.Event()
        self._started_at = connection._clock.now()
        self._state = RetryState(self._started_at)
        self._meter = Meter(seat, connection._clock)
        self._aborted = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        connection._calls.add(self)
        if options.signal is not None:
            options.signal._listen(self._abort_from_anywhere)
        if connection._closed or (options.signal is not None and options.signal.aborted):
            self.abort()

    @property
    def aborted(self) -> bool:
        """By the caller or by ``close()``."""
        return self._aborted.is_set()

    @property
    def elapsed_ms(self) -> float:
        return self.connection._clock.now() - self._started_at

    def abort(self) -> None:
        """Ends the call; of its own loop alone."""
        self._aborted.set()

    def _abort_from_anywhere(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self.abort)
        except RuntimeError:
            # The loop is closed, and nothing of the call with it.
            return

    async def attempt(
        self,
        request: HttpRequest,
        *,
        poll_ms: float = 0,
        timeout_ms: float | None = None,
        counted: bool = True,
        sink: BodySink | None = None,
        hold: Hold | None = None,
        aborted: asyncio.Event | None = None,
    ) -> Attempt:
        """Sends one copy.

        :param poll_ms: What the peer may park it for.
        :param counted: False: it is no copy of the seat's own request.
        :param aborted: Ends it in place of the call's own end.
        """
        clock, pool = self.connection._clock, self.connection._own_pool()
        if counted:
            self.attempts += 1
        self.url = request.origin + request.target.partition("?")[0]
        started_at = clock.now()
        transport = pool.borrow()
        dial_anew = False
        try:
            result = await exchange(
                transport,
                request,
                timeout_ms=self._timeout(poll_ms) if timeout_ms is None else timeout_ms,
                aborted=aborted or self._aborted,
                sink=sink,
                hold=hold,
            )
            verdict = classify(kind=result.kind, error=result.error, aborted=result.aborted, response=result.response)
            dial_anew = _must_dial_anew(result, verdict)
        finally:
            await pool.give_back(transport, dial_anew)
        answer = result.response if result.response is not None and is_ours(result.response) else None
        return Attempt(
            verdict=verdict,
            answer=answer,
            answer_lost=verdict.certainty == "delivered" and answer is not None and answer.body_lost,
            aborted=self.aborted or result.aborted,
            started_at=started_at,
            ms=clock.now() - started_at,
            last=last_of(result, verdict),
            reason=reason_of(result, verdict),
            retry_after_ms=None if result.response is None else _retry_after_of(result.response),
            error=result.error,
            too_long=result.kind == "body_truncated",
        )

    async def next(self, attempt: Attempt, fences: Fences | None = None, policy: SeatPolicy | None = None) -> Decision:
        """Decides, and sleeps the ladder where it goes on. An abort during the sleep stops it."""
        decision = self.decide(attempt, fences, policy)
        if isinstance(decision, Stop):
            return decision
        self._tell_retry(attempt, decision)
        if decision.delay_ms > 0:
            await self.sleep(decision.delay_ms)
        return Stop("aborted") if self.aborted else decision

    def decide(self, attempt: Attempt, fences: Fences | None = None, policy: SeatPolicy | None = None) -> Decision:
        """Decides without sleeping, and remembers what the attempt proved."""
        connection = self.connection
        outcome = AttemptOutcome(
            attempt.verdict,
            None if attempt.answer is None else attempt.answer.status,
            attempt.answer_lost,
            attempt.aborted,
            attempt.retry_after_ms,
            attempt.ms,
        )
        now = connection._clock.now()
        decision = decide(
            policy or self.policy, outcome, self._state, fences or Fences(), now=now, random=connection._random
        )
        if attempt.verdict.certainty == "unknown" or attempt.answer_lost:
            self.in_doubt = True
        if isinstance(decision, Again):
            self._state = decision.state
            # What was answered as it should be and is asked again (a parked poll) costs nobody anything.
            if _is_good(attempt):
                self._meter.answered()
            else:
                self._meter.failed(attempt.started_at, attempt.last)
        return decision

    def _tell_retry(self, attempt: Attempt, decision: Again) -> None:
        if _is_good(attempt):
            return
        retry = Retry(self.seat, self.attempts, decision.delay_ms, attempt.verdict.certainty, attempt.last)
        _tell(self.connection._hooks.on_retry, retry)
        _tell(self.options.on_retry, retry)

    async def sleep(self, ms: float, *, through_abort: bool = False) -> None:
        """Sleeps, or returns at once when the call is aborted."""
        sleep = asyncio.ensure_future(self.connection._clock.sleep(ms))
        abort = asyncio.ensure_future(self._aborted.wait())
        waited: set[asyncio.Future[Any]] = {sleep} if through_abort else {sleep, abort}
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleep.cancel()
            abort.cancel()
            await asyncio.gather(sleep, abort, return_exceptions=True)

    def answered(self) -> None:
        """The ladder and the window begin anew: the peer answered, and the seat goes on."""
        self._meter.answered()
        self._state = RetryState(self.connection._clock.now())

    def finish(self, ok: bool) -> None:
        """The seat is over: its line, and nothing left behind."""
        self.connection._calls.discard(self)
        self.over.set()
        if self.options.signal is not None:
            self.options.signal._unlisten(self._abort_from_anywhere)
        line = self._meter.line(self.url, ok)
        if line is not None:
            _tell(self.connection._hooks.log, line)
            _tell(self.connection._hooks.metric, line)

    def fault(self, attempt: Attempt | None, because: Because, meaning: FaultMeaning | None = None) -> TurnwireFault:
        """The fault of a seat that stopped at ``attempt``, or before its first one."""
        meaning = meaning or {}
        aborted = because == "aborted"
        answer = None if attempt is None else attempt.answer
        reason = "nothing was sent" if attempt is None else attempt.reason
        if aborted and answer is None:
            reason = "the connection was closed" if self.connection._closed else "the call was aborted"
        fault = TurnwireFault(
            seat=self.seat,
            certainty=meaning.get("certainty", self._certainty(attempt, because)),
            code=meaning.get("code", "aborted" if aborted else _fault_code(attempt, because)),
            status=None if answer is None else answer.status,
            problem=problem_of(answer),
            store=None if answer is None else header_of(answer, HEADERS.store),
            address=self.url,
            attempts=self.attempts,
            elapsed_ms=self.elapsed_ms,
            permanent=attempt is not None and attempt.verdict.permanent,
            reason=meaning.get("reason", reason),
        )
        fault.__cause__ = None if attempt is None else attempt.error
        return fault

    def _certainty(self, attempt: Attempt | None, because: Because) -> Certainty:
        """What is proved about all copies together: a final answer decides, else one copy in doubt is doubt."""
        if attempt is None:
            return "unknown"
        if because == "final" or attempt.answer_lost:
            return attempt.verdict.certainty
        return "unknown" if self.in_doubt else attempt.verdict.certainty

    def _timeout(self, poll_ms: float) -> float:
        own = self.policy.attempt_ms if self.options.attempt_ms is None else self.options.attempt_ms
        return own + poll_ms if self.policy.plus_poll else own


def _is_good(attempt: Attempt) -> bool:
    return attempt.verdict.certainty == "delivered" and not attempt.answer_lost


def _tell(hook: Callable[[Value], None] | None, value: Value) -> None:
    """Who listens decides nothing: a logger that raises must not lose an Admission that is already made."""
    if hook is None:
        return
    try:
        hook(value)
    except Exception:
        # Its own affair; there is nobody here to tell it to.
        return


def _fault_code(attempt: Attempt | None, because: Because) -> str:
    if attempt is None:
        return "unknown"
    if attempt.verdict.code is not None:
        return attempt.verdict.code
    if attempt.answer_lost:
        return "answer_lost"
    if because == "final":
        return "bad_response"
    return "unknown" if attempt.verdict.certainty == "unknown" and because == "policy" else "unreachable"


def _must_dial_anew(result: Exchange, verdict: Verdict) -> bool:
    """TW-RET-020: neither what failed nor the socket of a peer that says it is going is used again."""
    if result.aborted:
        return False
    if verdict.certainty in ("unknown", "never_delivered"):
        return True
    return result.response is not None and result.response.status >= CONSTANTS.server_error_from_status


def _retry_after_of(answer: Answer) -> float | None:
    return retry_after_ms(header_of(answer, HEADERS.retry_after), header_of(answer, "date"), time.time() * 1000)
