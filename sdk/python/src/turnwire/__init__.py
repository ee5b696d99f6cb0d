"""The client of the three Turnwire APIs.

``AsyncClient`` (asyncio) or ``Client`` (blocking) speaks to one peer; what a failure proves about delivery, and whether a
request may be sent again, is read from the tables of the spec.
"""

from .admit import Admitted, Copy
from .arguments import ArgumentError
from .certainty import Answer, Verdict, classify, is_ours
from .client import AsyncClient
from .clock import Clock, SystemClock
from .evidence import python_evidence
from .executions import Executed
from .fault import TurnwireFault
from .gen import types
from .gen.protocol import OUTCOMES, TEXTS
from .history import StreamTail
from .internals import CallOptions, Retry
from .json_text import canonical_json
from .outcome import Delivered
from .outcomes import outcome_text, render
from .receipt import read_delivery, receipt_outcome
from .retry import (
    Again,
    AttemptOutcome,
    Decision,
    Fences,
    RetryState,
    Stop,
    decide,
    retry_after_ms,
    rung_ms,
    window_left,
)
from .routability import RoutabilityLine
from .runs import GateAnswered, Started
from .signal import AbortSignal
from .stream import Wait
from .surface import SurfaceRead, SurfaceUnchanged
from .sync import BlockingWait, Client
from .version import __version__

__all__ = [
    "OUTCOMES",
    "TEXTS",
    "AbortSignal",
    "Admitted",
    "Again",
    "Answer",
    "ArgumentError",
    "AsyncClient",
    "AttemptOutcome",
    "BlockingWait",
    "CallOptions",
    "Client",
    "Clock",
    "Copy",
    "Decision",
    "Delivered",
    "Executed",
    "Fences",
    "GateAnswered",
    "Retry",
    "RetryState",
    "RoutabilityLine",
    "Started",
    "Stop",
    "StreamTail",
    "SurfaceRead",
    "SurfaceUnchanged",
    "SystemClock",
    "TurnwireFault",
    "Verdict",
    "Wait",
    "__version__",
    "canonical_json",
    "classify",
    "decide",
    "is_ours",
    "outcome_text",
    "python_evidence",
    "read_delivery",
    "receipt_outcome",
    "render",
    "retry_after_ms",
    "rung_ms",
    "types",
    "window_left",
]
