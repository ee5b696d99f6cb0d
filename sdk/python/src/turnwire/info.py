"""What a peer is and how it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from .ask import ask, object_with
from .certainty import Answer
from .internals import CallOptions, Connection
from .request import request_of
from .wire import HarnessInfo, OrchestratorInfo

Value = TypeVar("Value")


async def harness_info(connection: Connection, *, options: CallOptions | None = None) -> HarnessInfo:
    """``/.well-known/turnwire`` of a Harness: store and capabilities (seat ``harness_read``, 30 s; TW-GEN-016).

    :raises TurnwireFault: the code of a final answer, ``unreachable``, ``aborted``.
    """
    decode = object_with(HarnessInfo, "role", "store")
    return await _info(connection, "getHarnessInfo", "harness_read", decode, options)


async def orchestrator_info(connection: Connection, *, options: CallOptions | None = None) -> OrchestratorInfo:
    """``/.well-known/turnwire`` of an Orchestrator (seat ``orchestrator_read``, 30 s).

    :raises TurnwireFault: as :func:`harness_info`.
    """
    decode = object_with(OrchestratorInfo, "role")
    return await _info(connection, "getOrchestratorInfo", "orchestrator_read", decode, options)


async def health(connection: Connection, *, options: CallOptions | None = None) -> None:
    """``GET /healthz``, one attempt of 5 s: returns while the process serves, also while it drains (TW-GEN-023).

    :raises TurnwireFault: when it does not.
    """
    await _info(connection, "getHealth", "probe", _empty_of, options)


async def readiness(connection: Connection, *, options: CallOptions | None = None) -> None:
    """``GET /readyz``, one attempt of 5 s: returns when it takes work (TW-GEN-024).

    No seat needs it before its first request (TW-RET-024).

    :raises TurnwireFault: ``starting``, ``draining``, ``stopping``, …
    """
    await _info(connection, "getReadiness", "probe", _empty_of, options)


async def metrics(connection: Connection, *, options: CallOptions | None = None) -> str:
    """``GET /metrics``, one attempt of 5 s: counters in Prometheus' text format.

    :raises TurnwireFault: when there are none to be had.
    """
    options = options or CallOptions()
    with_accept = replace(options, headers={"accept": "text/plain", **options.headers})
    return await _info(connection, "getMetrics", "probe", _text_of, with_accept)


async def _info(
    connection: Connection,
    operation: str,
    seat: str,
    decode: Callable[[Answer], Value | None],
    options: CallOptions | None,
) -> Value:
    request = request_of(connection, operation, options=options)
    return (await ask(connection, seat, operation, request, decode, options=options)).value


def _empty_of(_: Answer) -> bool:
    """That it answered is all that is asked."""
    return True


def _text_of(answer: Answer) -> str | None:
    return answer.body if isinstance(answer.body, str) else None
