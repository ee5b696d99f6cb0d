"""The seats ``surface`` and ``surface_step``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Union

from .arguments import check_header_text, check_iid
from .ask import ask, object_of
from .certainty import Answer, header_of
from .internals import CallOptions, Connection
from .meaning import documented, says
from .request import request_of
from .retry import Because
from .seat import Attempt, FaultMeaning
from .wire import Surface, model_of


@dataclass(frozen=True)
class SurfaceRead:
    """A surface that was read."""

    surface: Surface
    etag: str | None
    """For the next read."""
    attempts: int
    status: Literal["ok"] = "ok"


@dataclass(frozen=True)
class SurfaceUnchanged:
    """The surface is still the one with the ``etag`` that was given."""

    attempts: int
    status: Literal["unchanged"] = "unchanged"


async def surface(
    connection: Connection,
    *,
    iid: str,
    etag: str | None = None,
    step: bool = False,
    options: CallOptions | None = None,
) -> SurfaceRead | SurfaceUnchanged:
    """Reads the surface: Menu, Allowed picks, ``turn_id``.

    The first read of a turn goes on for 90 s (seat ``surface``); with ``step`` it is a single attempt of 2 s (seat
    ``surface_step``), after whose failure the last list is kept (TW-RET-007).

    :raises TurnwireFault: ``turn_over``; ``surface_refused`` (any other final answer; its own code is in ``problem``);
        ``surface_unreachable``; ``aborted``.
    :raises ArgumentError: naming the argument that is wrong.
    """
    check_iid(iid)
    if etag is not None:
        check_header_text(etag, "etag")
    headers = {"if-none-match": etag}
    request = request_of(connection, "readSurface", path={"iid": iid}, headers=headers, options=options)
    seat = "surface_step" if step else "surface"
    decode = _decoder(etag is not None)
    asked = await ask(connection, seat, "readSurface", request, decode, means=_means, options=options)
    if isinstance(asked.value, Surface):
        return SurfaceRead(asked.value, header_of(asked.answer, "etag"), asked.attempts)
    return SurfaceUnchanged(asked.attempts)


def _decoder(conditional: bool) -> Callable[[Answer], Union[Surface, Literal["unchanged"], None]]:
    def decode(answer: Answer) -> Union[Surface, Literal["unchanged"], None]:
        row = documented("readSurface", answer.status)
        if conditional and row is not None and row.means == "surface_unchanged":
            return "unchanged"
        body = object_of(answer)
        if body is None or not isinstance(body.get("turnId"), str):
            return None
        fine = isinstance(body.get("menu"), list) and isinstance(body.get("allowed"), list)
        return model_of(Surface, body) if fine else None

    return decode


def _means(attempt: Attempt, because: Because) -> FaultMeaning | None:
    """A 404 ends a turn only as ``turn_over``; every other final answer refuses the read (TW-RET-026, TW-TRN-015)."""
    if because != "final":
        return {"code": "surface_unreachable"}
    return None if says(attempt.said, "turn_over") else {"code": "surface_refused"}
