"""The seat ``delivery_poll``."""

from __future__ import annotations

from typing import Union

from .arguments import check_iid, check_segment, check_wait
from .ask import Answered, ask
from .gen.protocol import CONSTANTS, PROBLEM_CODES
from .internals import CallOptions, Connection
from .meaning import says
from .receipt import read_delivery
from .request import request_of
from .retry import Because
from .seat import Attempt, FaultMeaning
from .transport import HttpRequest
from .wire import Outstanding, Receipt


async def poll(
    connection: Connection,
    *,
    iid: str,
    delivery_id: str,
    wait_seconds: int = CONSTANTS.poll_wait_seconds,
    options: CallOptions | None = None,
) -> Union[Receipt, Outstanding]:
    """Asks once what became of a delivery, parked for at most ``wait_seconds`` (0–25).

    Failures are asked again for as long as it takes (seat ``delivery_poll``, TW-RET-013); give a ``signal`` or a ``window_ms`` to
    bound it. Which of the two came, its ``status`` says.

    :raises TurnwireFault: ``unknown_delivery``, ``turn_over``, ``bad_response`` (another 404), the code of another final
        answer, ``aborted``.
    :raises ArgumentError: naming the argument that is wrong.
    """
    check_iid(iid)
    check_segment(delivery_id, "delivery_id")
    check_wait(wait_seconds, CONSTANTS.poll_wait_seconds, "wait_seconds")
    request = poll_request(connection, iid, delivery_id, wait_seconds, options)
    asked: Answered[Union[Receipt, Outstanding]] = await ask(
        connection,
        "delivery_poll",
        "readDelivery",
        request,
        read_delivery,
        poll_ms=wait_seconds * 1000,
        means=_means,
        options=options,
    )
    return asked.value


def poll_request(
    connection: Connection, iid: str, delivery_id: str, wait_seconds: int, options: CallOptions | None
) -> HttpRequest:
    """The request of a poll; a lookup is one that is not parked."""
    path = {"iid": iid, "deliveryId": delivery_id}
    return request_of(connection, "readDelivery", path=path, query={"wait": wait_seconds}, options=options)


def _means(attempt: Attempt, because: Because) -> FaultMeaning | None:
    """What is not there is a delivery or a turn, or nothing that a poll asked for."""
    said = attempt.said
    is_gone = said is not None and said.status == PROBLEM_CODES["turn_over"].status
    if because != "final" or not is_gone or says(said, "unknown_delivery", "turn_over"):
        return None
    return {"code": "bad_response"}
