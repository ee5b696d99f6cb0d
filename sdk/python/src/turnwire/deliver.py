"""The seats ``pick`` and ``pick_base``."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Literal, Union

from .arguments import check_iid, check_key, check_segment, check_text, json_text, need
from .follow import OnOutstanding, announce, follow_delivery
from .gen.protocol import OUTCOMES
from .internals import CallOptions, Connection
from .outcome import Delivered, Outcomes
from .poll import poll_request
from .receipt import read_delivery
from .request import policy_of, request_of
from .resolve import Lost, look_up, look_up_after_abort
from .retry import Stop, rung_ms
from .seat import Attempt, SeatCall
from .transport import HttpRequest
from .wire import JsonValue, Outstanding, Receipt


async def deliver(
    connection: Connection,
    *,
    iid: str,
    turn_id: str,
    event: str,
    input: JsonValue,
    delivery_id: str | None = None,
    client_delivery_ids: bool = False,
    on_outstanding: OnOutstanding | None = None,
    resume: Literal["poll", "lookup"] | None = None,
    options: CallOptions | None = None,
) -> Delivered:
    """Delivers a pick and stays with it until it is answered (seats ``pick`` or ``pick_base``, then ``delivery_poll``).

    Re-sent on proof, looked up and re-sent under its own id after doubt (TW-RET-009), polled while it is outstanding, for days
    if need be (TW-RET-013).

    :param event: The name of the pick.
    :param delivery_id: 1–128 characters that can stand in a path (TW-DLV-013); minted when it is not given and the
        Orchestrator honours it.
    :param client_delivery_ids: The capability that the surface told. Without it nothing is sent twice (TW-RET-008).
    :param on_outstanding: Called once when the pick is known to be outstanding, and awaited before the next poll if it can
        be. What it raises is raised.
    :param resume: ``poll``: it is known taken, and is never sent again; ``lookup``: a copy may have arrived, so it is looked
        up first.
    :returns: One of the outcomes of the spec, with the text that the model reads. Failures on the wire are outcomes too, and
        are never raised.
    :raises ArgumentError: naming the argument that is wrong.
    """
    check_iid(iid)
    check_text(turn_id, "turn_id")
    check_text(event, "event")
    _check_id(delivery_id, client_delivery_ids, resume)
    # Where ids are not honoured a pick carries none.
    own_id = (delivery_id or str(uuid.uuid4())) if client_delivery_ids else None
    pick = {"turnId": turn_id, **({} if own_id is None else {"deliveryId": own_id}), "event": event, "input": input}
    body = json_text(pick, "input")
    request = request_of(connection, "pick", path={"iid": iid}, body=body, options=options)
    seat = "pick" if client_delivery_ids else "pick_base"
    call = SeatCall(connection, seat, policy_of("pick", seat), options)
    # Where ids are not honoured there is none until the Orchestrator names it, as it did for one that is resumed.
    outcomes = Outcomes(call, event, delivery_id if resume == "poll" else own_id)
    delivery = _Delivery(call, iid, request, outcomes, client_delivery_ids, on_outstanding, resume)
    answered = False
    try:
        delivered = await delivery.run()
        answered = delivered.taken is True or delivered.certainty == "answered"
    finally:
        call.finish(answered)
    await delivery.hold_off(delivered)
    return delivered


def _check_id(delivery_id: str | None, capable: bool, resume: str | None) -> None:
    if delivery_id is not None:
        check_key(delivery_id, "delivery_id")
        check_segment(delivery_id, "delivery_id")
    if resume is not None:
        need(resume in ("poll", "lookup"), "resume", "`poll` or `lookup`")
        need(delivery_id is not None, "delivery_id", "given to resume a delivery")
        need(resume == "poll" or capable, "resume", "`poll` where ids are not honoured")


@dataclass
class _Delivery:
    call: SeatCall
    iid: str
    request: HttpRequest
    outcomes: Outcomes
    capable: bool
    on_outstanding: OnOutstanding | None
    resume: str | None

    async def run(self) -> Delivered:
        if self.resume == "poll":
            return await self._follow(announced=True)
        if self.call.aborted:
            return self.outcomes.of("unknown_turn_ended", "unknown")
        if self.resume == "lookup":
            self.call.in_doubt = True
            found = await self._resolve()
            if found is not None:
                return found
        while True:
            outcome = await self._send_once()
            if outcome is not None:
                return outcome

    async def hold_off(self, delivered: Delivered) -> None:
        """A model that is told to call again at once would spin against a restart (TW-OUT-017)."""
        if not self.capable and OUTCOMES[delivered.code].invites and not self.call.aborted:
            await self.call.sleep(rung_ms(0, self.call.connection._random))

    async def _send_once(self) -> Delivered | None:
        """One copy of the pick, and what follows from it; None: another copy."""
        call = self.call
        attempt = await call.attempt(self.request)
        if attempt.verdict.certainty == "delivered":
            return await self._taken(attempt)
        # Final answers count even when the call was aborted while they came.
        answered = self.outcomes.finally_answered(attempt, call.policy)
        if answered == "own":
            return await self._follow()
        if answered is not None:
            return answered
        decision = await call.next(attempt)
        if isinstance(decision, Stop):
            return await self._after_abort() if decision.because == "aborted" else self.outcomes.exhausted(attempt)
        return await self._resolve() if decision.action == "resolve" else None

    async def _taken(self, attempt: Attempt) -> Delivered:
        read = None if attempt.answer is None else read_delivery(attempt.answer)
        if read is not None:
            return await self._found(read)
        # TW-RET-012: delivered, body lost.
        self.outcomes.lost_reason = attempt.reason
        return await self._follow()

    async def _found(self, read: Union[Receipt, Outstanding]) -> Delivered:
        if isinstance(read, Receipt):
            return self.outcomes.of_receipt(read)
        self.outcomes.delivery_id = read.delivery_id
        if not self.call.aborted:
            await announce(self.on_outstanding, read.delivery_id)
        return await self._follow(announced=True)

    async def _follow(self, *, announced: bool = False) -> Delivered:
        """Taken: polled until the turn is over (TW-RET-013)."""
        return await follow_delivery(self.call, self.iid, self.outcomes, None if announced else self.on_outstanding)

    async def _resolve(self) -> Delivered | None:
        """Looks the delivery up; None: it is to be delivered again under the same id (TW-RET-010)."""
        found = await look_up(self.call, self._look_up_request())
        if isinstance(found, Lost):
            if found.kind == "stays_unknown":
                return self.outcomes.unknown(found.reason)
            self.outcomes.lost_reason = found.reason
            return await self._follow()
        if found == "not_taken_so_far":
            return None
        if found == "turn_over":
            return self.outcomes.of("unknown_turn_ended", "unknown")
        return await self._after_abort() if found == "aborted" else await self._found(found)

    async def _after_abort(self) -> Delivered:
        """TW-RET-011: looked up only, and never delivered again."""
        look = self.capable and self.call.in_doubt
        found = await look_up_after_abort(self.call, self._look_up_request()) if look else None
        if found is None:
            return self.outcomes.of("unknown_turn_ended", "unknown")
        return self.outcomes.taken_turn_ended(None if found == "taken" else found)

    def _look_up_request(self) -> HttpRequest:
        delivery_id = self.outcomes.delivery_id or ""
        return poll_request(self.call.connection, self.iid, delivery_id, 0, self.call.options)
