"""The seat ``admission``."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Union

from .arguments import check_header_text, check_iid, check_key, check_segment, check_text, exact_text, json_text
from .ask import object_with
from .certainty import header_of
from .fault import TurnwireFault
from .gen.protocol import HEADERS
from .gen.table import AnswerMatch
from .internals import CallOptions, Connection
from .request import policy_of, request_of
from .retry import Because, Fences, Stop
from .seat import Attempt, SeatCall
from .transport import HttpRequest
from .wire import Admission, AdmitBody


@dataclass(frozen=True)
class Copy:
    """A copy of an admission that is about to be sent."""

    attempt: int
    expect_store: str | None


@dataclass(frozen=True)
class Admitted:
    """An Admission, and what it cost."""

    admission: Admission
    store: str | None
    """``Turnwire-Store`` of the answer (TW-ADM-001); the next admission's ``expect_store``."""
    replayed: bool
    """The key was known: the Submission is an earlier copy's (TW-GEN-018)."""
    attempts: int
    elapsed_ms: float
    """Milliseconds."""


BeforeSend = Callable[[Copy], Union[Awaitable[None], None]]


async def admit(
    connection: Connection,
    *,
    name: str,
    iid: str,
    key: str,
    body: AdmitBody | Mapping[str, Any] | str,
    expect_store: str | None = None,
    in_doubt: bool = False,
    idempotent_admissions: bool = False,
    on_store_changed: Literal["resend", "fault"] = "resend",
    before_send: BeforeSend | None = None,
    options: CallOptions | None = None,
) -> Admitted:
    """Admits a prompt (seat ``admission``).

    Sent again after proof that no copy was taken, within 90 s; after doubt only under the same key to the same store
    (TW-RET-002, TW-RET-006).

    :param name: The Agent's name.
    :param key: ``Idempotency-Key``: 1–128 visible ASCII characters. It is always sent (TW-ADM-003).
    :param body: A value, or the exact JSON text that is to be sent byte for byte.
    :param expect_store: The store that the first copy was meant for, if one is known (TW-RET-005).
    :param in_doubt: An earlier copy under this key may have arrived: before a restart, say (TW-DUR-014).
    :param idempotent_admissions: The Harness's capability. False when it is not known: then doubt stays doubt.
    :param on_store_changed: What to do when the store is another one and no copy is in doubt (TW-RET-004): send again to the
        new store, or fault ``store_changed`` because the next copy has to be another one.
    :param before_send: Called, and awaited if it can be, for each copy when its connection is made, before its first byte is
        written: for who writes down first that a copy may be on its way. A dial that comes to nothing never calls it. When it
        raises, that copy is not sent, and ``admit`` raises the same.
    :raises TurnwireFault: ``admission_unknown`` when a copy may have been taken and a second one could run the turn twice
        (TW-RET-003); ``unreachable``; the code of the answer that refused it (``invalid``, ``unknown_agent``, ``queue_full``,
        ``draining``, ``unauthorized``, …); ``store_changed`` if that was asked for; ``aborted``.
    :raises ArgumentError: naming the argument that is wrong.
    """
    check_segment(name, "name")
    check_iid(iid)
    check_key(key, "key")
    if expect_store is not None:
        check_text(expect_store, "expect_store")
        check_header_text(expect_store, "expect_store")
    text = exact_text(body, "body") if isinstance(body, str) else json_text(body, "body")
    call = SeatCall(connection, "admission", policy_of("admit", "admission"), options)
    seat = _AdmissionSeat(
        call, name, iid, key, text, expect_store, idempotent_admissions, on_store_changed == "fault", before_send
    )
    call.in_doubt = in_doubt
    ok = False
    try:
        admitted = await seat.run()
        ok = True
        return admitted
    finally:
        call.finish(ok)


_read_admission = object_with(Admission, "streamUrl", "offset", "submissionId")


@dataclass
class _AdmissionSeat:
    call: SeatCall
    name: str
    iid: str
    key: str
    body: str
    store: str | None
    """The store that every copy so far that is in doubt was meant for."""
    idempotent_admissions: bool
    faults_on_store: bool
    before_send: BeforeSend | None

    async def run(self) -> Admitted:
        call = self.call
        if call.in_doubt and not self._fences().same_store:
            reason = "an earlier copy may have been taken, and there is no store that a second one is safe with"
            raise self._unknown(None, "policy", reason)
        if call.aborted:
            raise call.fault(None, "aborted")
        while True:
            attempt = await self._send()
            admission = _admission_of(attempt)
            if admission is not None:
                return self._admitted(attempt, admission)
            if attempt.verdict.certainty == "delivered":
                attempt.answer_lost = True
            # The copy that was just sent is safe with the store that it named, and with no other.
            fences = self._fences()
            if await self._follows_store(attempt):
                continue
            decision = await call.next(attempt, fences)
            if isinstance(decision, Stop):
                raise self._stopped(attempt, decision.because)
            self._learn_store(attempt)

    async def _send(self) -> Attempt:
        before_send = self.before_send
        if before_send is None:
            return await self.call.attempt(self._request())
        refused: list[BaseException] = []
        copy = Copy(self.call.attempts + 1, self.store)

        async def hold() -> None:
            try:
                waited = before_send(copy)
                if inspect.isawaitable(waited):
                    await waited
            except Exception as error:
                refused.append(error)
                raise

        attempt = await self.call.attempt(self._request(), hold=hold)
        if refused:
            raise refused[0]
        return attempt

    async def _follows_store(self, attempt: Attempt) -> bool:
        """412: another store, and nothing queued. With no copy in doubt the new store is as good (TW-RET-004)."""
        call, answer = self.call, attempt.answer
        if answer is None or attempt.verdict.code != "store_changed" or call.in_doubt or attempt.aborted:
            return False
        store = header_of(answer, HEADERS.store)
        if self.faults_on_store or store is None or store == self.store:
            return False
        again = replace(call.policy, answers=(AnswerMatch((answer.status, answer.status)),))
        decision = await call.next(attempt, None, again)
        if isinstance(decision, Stop):
            raise call.fault(attempt, decision.because)
        self.store = store
        return True

    def _learn_store(self, attempt: Attempt) -> None:
        """Any answer of a Harness names its store: what is sent next is meant for it, unless a copy in doubt says another."""
        if not self.call.in_doubt and attempt.answer is not None and self.store is None:
            self.store = header_of(attempt.answer, HEADERS.store)

    def _request(self) -> HttpRequest:
        return request_of(
            self.call.connection,
            "admit",
            path={"name": self.name, "iid": self.iid},
            headers={HEADERS.idempotency_key: self.key, HEADERS.expect_store: self.store},
            body=self.body,
            options=self.call.options,
        )

    def _fences(self) -> Fences:
        return Fences(same_key=True, same_store=self.store is not None and self.idempotent_admissions)

    def _admitted(self, attempt: Attempt, admission: Admission) -> Admitted:
        answer = attempt.answer
        return Admitted(
            admission,
            store=None if answer is None else header_of(answer, HEADERS.store),
            replayed=answer is not None and header_of(answer, HEADERS.replayed) == "true",
            attempts=self.call.attempts,
            elapsed_ms=self.call.elapsed_ms,
        )

    def _stopped(self, attempt: Attempt, because: Because) -> TurnwireFault:
        call = self.call
        # A copy that may have been taken outlives whatever the last one was told, an abort of the call included.
        if not call.in_doubt:
            return call.fault(attempt, because)
        if because == "aborted":
            return call.fault(attempt, because, {"certainty": "unknown"})
        return self._unknown(attempt, because, attempt.reason)

    def _unknown(self, attempt: Attempt | None, because: Because, reason: str) -> TurnwireFault:
        taken = attempt is not None and attempt.answer_lost
        return self.call.fault(
            attempt,
            because,
            {"code": "admission_unknown", "certainty": "delivered" if taken else "unknown", "reason": reason},
        )


def _admission_of(attempt: Attempt) -> Admission | None:
    if attempt.answer_lost or attempt.verdict.certainty != "delivered" or attempt.answer is None:
        return None
    return _read_admission(attempt.answer)
