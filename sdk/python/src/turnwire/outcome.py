"""What became of a pick, and what the model is told about it (TW-TRN-010)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Union

from .gen.protocol import OUTCOMES, OutcomeCode
from .gen.table import Certainty, SeatPolicy
from .meaning import is_of_every_copy, refusal_outcome
from .outcomes import TemplateValues, outcome_text
from .reason import problem_of
from .receipt import is_names, receipt_outcome
from .retry import is_reasked
from .seat import Attempt, SeatCall
from .wire import ProblemBody, Receipt


@dataclass(frozen=True)
class Delivered:
    """The outcome of one delivery."""

    code: OutcomeCode
    kind: Literal["answer", "error"]
    """An ``error`` is given to the model as a failed tool call, an ``answer`` as its result."""
    text: str
    """What the model reads."""
    certainty: Certainty
    """What is proved about the pick, every copy of it counted."""
    taken: bool | Literal["unknown"]
    attempts: int
    """Copies of the pick that were sent."""
    elapsed_ms: float
    """Milliseconds."""
    delivery_id: str | None = None
    """The id that it was delivered under, as far as it is known."""
    receipt: Receipt | None = None
    allowed: list[str] | None = None
    """What may be picked now; None when the peer did not say."""
    turn_complete: bool = False
    """The receipt says that the turn is over."""


@dataclass
class Outcomes:
    """Makes the outcome of one delivery. It knows when doubt forbids to say that the pick was not taken (TW-OUT-018)."""

    call: SeatCall
    event: str
    delivery_id: str | None
    """Ours where it is honoured, else what the Orchestrator named."""
    lost_reason: str = field(default="it was never sent")
    """Why the answer of a pick that was taken is not here yet."""

    def of(
        self,
        code: OutcomeCode,
        certainty: Certainty,
        values: TemplateValues | None = None,
        *,
        receipt: Receipt | None = None,
        allowed: list[str] | None = None,
        turn_complete: bool = False,
    ) -> Delivered:
        """An outcome with its text."""
        return Delivered(
            code=code,
            kind=OUTCOMES[code].kind,
            text=outcome_text(code, {"event": self.event, **(values or {})}),
            certainty=certainty,
            taken="unknown" if certainty == "unknown" else certainty == "delivered",
            attempts=self.call.attempts,
            elapsed_ms=self.call.elapsed_ms,
            delivery_id=self.delivery_id,
            receipt=receipt,
            allowed=allowed,
            turn_complete=turn_complete,
        )

    def of_receipt(self, receipt: Receipt) -> Delivered:
        """What a receipt says."""
        if receipt.delivery_id is not None:
            self.delivery_id = receipt.delivery_id
        values = {
            "allowed": receipt.allowed,
            "answer": receipt.answer,
            "answerError": receipt.answer_error,
            "endedBy": receipt.ended_by,
        }
        return self.of(
            receipt_outcome(receipt),
            "delivered",
            values,
            receipt=receipt,
            allowed=receipt.allowed,
            turn_complete=receipt.turn_complete is True,
        )

    def unknown(self, reason: str) -> Delivered:
        """Doubt while the turn goes on."""
        return self.of("unknown", "unknown", {"detail": phrase(reason)})

    def taken_answer_lost(self, reason: str | None = None) -> Delivered:
        """Taken, and its answer cannot be had."""
        return self.of("taken_answer_lost", "delivered", {"detail": phrase(reason or self.lost_reason)})

    def taken_turn_ended(self, receipt: Receipt | None = None) -> Delivered:
        """Taken, and the turn ended before its answer was read."""
        return self.of("taken_turn_ended", "delivered", receipt=receipt)

    def finally_answered(self, attempt: Attempt, policy: SeatPolicy) -> Union[Delivered, Literal["own"], None]:
        """An answer after which nothing is sent again, whatever became of the call.

        ``own``: it names this very delivery as the one that is worked on. None: it is no such answer, or one that proves
        nothing about a copy in doubt.
        """
        verdict, answer = attempt.verdict, attempt.answer
        if verdict.certainty != "answered" or answer is None or is_reasked(policy, answer.status, verdict.code):
            return None
        problem = problem_of(answer)
        named = None if problem is None else problem.get("deliveryId")
        if verdict.code == "pick_outstanding" and named is not None and named == self.delivery_id:
            return "own"
        return self._answered(attempt, problem)

    def exhausted(self, attempt: Attempt) -> Delivered:
        """A seat that stopped without a final answer: base mode, or the window has ended."""
        certainty = attempt.verdict.certainty
        if self.call.in_doubt:
            return self.unknown(attempt.reason)
        if certainty == "never_delivered":
            return self.of("never_reached", certainty, {"detail": phrase(attempt.reason)})
        if certainty == "answered":
            return self._answered(attempt, problem_of(attempt.answer))
        return self.unknown(attempt.reason)

    def _answered(self, attempt: Attempt, problem: ProblemBody | None) -> Delivered:
        if attempt.said is None:
            return self.unknown(attempt.reason)
        code = refusal_outcome(attempt.said)
        if self.call.in_doubt and not is_of_every_copy(code):
            return self.unknown(attempt.reason)
        said = problem or {}
        allowed = said["allowed"] if is_names(said.get("allowed")) else None
        return self.of(code, "answered", _problem_values(attempt, said, allowed), allowed=allowed)


def _problem_values(attempt: Attempt, problem: ProblemBody, allowed: list[str] | None) -> dict[str, Any]:
    detail, problems = problem.get("detail"), problem.get("problems")
    return {
        "allowed": allowed,
        "problems": problems if isinstance(problems, list) and problems else None,
        "otherEvent": problem.get("event"),
        "otherDeliveryId": problem.get("deliveryId"),
        "problemCode": attempt.verdict.code,
        "problemDetail": phrase(detail) if isinstance(detail, str) else None,
        "detail": "" if attempt.answer is None else f"HTTP {attempt.answer.status}",
    }


def phrase(text: str) -> str:
    """Without a final stop: it stands in the middle of a sentence."""
    return text.strip().removesuffix(".")
