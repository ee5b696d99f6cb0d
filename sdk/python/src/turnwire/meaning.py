"""What an answer of ours means, in the words and codes of the documents: no other module compares a status. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from .gen.protocol import FAULTS, OPERATIONS, OUTCOMES, PROBLEM_CODES, OutcomeCode, ProblemCode
from .gen.table import AnswerMatch, ResponseRow


@dataclass(frozen=True)
class Said:
    """An answer, as far as its meaning goes."""

    status: int
    code: str | None = None


def documented(operation: str, status: int) -> ResponseRow | None:
    """What the documents say of an answer to an operation; None where they do not know it."""
    row = OPERATIONS.get(operation)
    return None if row is None else row.responses.get(status)


def is_listed(rows: Sequence[AnswerMatch], status: int, code: str | None) -> bool:
    """Whether it is in one of these rows."""
    return any(row.status[0] <= status <= row.status[1] and (row.codes is None or code in row.codes) for row in rows)


def says(said: Said | None, *codes: ProblemCode) -> bool:
    """Whether it says one of these codes, with the status that the code comes with (TW-RET-026)."""
    return said is not None and any(said.code == code and said.status == PROBLEM_CODES[code].status for code in codes)


def refuses_credential(said: Said) -> bool:
    """Whether it refuses the credential."""
    rows = [row for row in FAULTS.values() if row.category == "permission_denied"]
    return said.code is not None and any(said.code in row.answers for row in rows)


def refusal_outcome(said: Said) -> OutcomeCode:
    """The outcome of a pick that this answer refused."""
    codes = (code for code, row in OUTCOMES.items() if is_listed(row.answers, said.status, said.code))
    return cast(OutcomeCode, next(codes, "rejected"))


def is_of_every_copy(outcome: OutcomeCode) -> bool:
    """Whether such an answer speaks of every copy of the pick (TW-PIC-011)."""
    return OUTCOMES[outcome].of_every_copy
