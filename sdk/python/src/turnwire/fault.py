"""The one error of this SDK (TW-RET-021)."""

from __future__ import annotations

from .evidence import python_evidence
from .gen.protocol import EVIDENCE
from .gen.table import Certainty
from .reason import error_reason
from .wire import ProblemBody


class TurnwireFault(Exception):
    """A call gave up. A programmer's error is an ``ArgumentError`` instead, raised before anything is sent (TW-CER-018).

    ``str()`` of it is ``admission: connect ECONNREFUSED … after 20 attempts in 90012 ms``; the native error is its ``__cause__``.
    """

    seat: str
    certainty: Certainty
    """What is proved about the request as a whole, every copy of it counted."""
    code: str
    """A problem code of an answer (``unknown_agent``, ``turn_over``, …), or one of the SDK's own.

    ``unreachable`` (no answer within the window, or none that a re-send can change), ``unknown`` (no answer, and a second copy
    is not allowed), ``admission_unknown``, ``answer_lost`` (taken, and what it said is lost), ``surface_unreachable``,
    ``surface_refused``, ``conversation_lost``, ``stream_gone``, ``bad_response``, ``aborted``.
    """
    status: int | None
    """The HTTP status of the answer that decided, if there was one."""
    problem: ProblemBody
    """Its problem document; empty when there was none."""
    store: str | None
    """Its ``Turnwire-Store``."""
    address: str
    """Origin and path; never a query or a credential."""
    attempts: int
    elapsed_ms: float
    """Milliseconds."""
    permanent: bool
    """A re-send cannot change it: a certificate that is not trusted (TW-RET-029)."""

    def __init__(
        self,
        *,
        seat: str,
        certainty: Certainty,
        code: str,
        address: str,
        reason: str,
        attempts: int = 1,
        elapsed_ms: float = 0,
        status: int | None = None,
        problem: ProblemBody | None = None,
        store: str | None = None,
        permanent: bool = False,
    ) -> None:
        tries = "1 attempt" if attempts == 1 else f"{attempts} attempts"
        super().__init__(f"{seat}: {reason} after {tries} in {round(elapsed_ms)} ms")
        self.seat = seat
        self.certainty = certainty
        self.code = code
        self.address = address
        self.attempts = attempts
        self.elapsed_ms = elapsed_ms
        self.status = status
        self.problem = problem or {}
        self.store = store
        self.permanent = permanent

    @classmethod
    def from_error(cls, raised: BaseException, *, seat: str, address: str) -> TurnwireFault:
        """The one converter: a fault as it is, anything else judged by the evidence table."""
        if isinstance(raised, TurnwireFault):
            return raised
        row = EVIDENCE[python_evidence(raised)]
        fault = cls(
            seat=seat,
            address=address,
            certainty=row.certainty,
            code="unknown" if row.certainty == "unknown" else "unreachable",
            permanent=row.permanent,
            reason=error_reason(raised),
        )
        fault.__cause__ = raised
        return fault
