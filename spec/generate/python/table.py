"""The shape of the tables that the generator emits for Python; it is copied beside them.

Everything in them is data of the OpenAPI documents (see ``spec/retry.schema.json``); no SDK writes a status, a code, a
window or a text by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Certainty = Literal["never_delivered", "unknown", "delivered", "answered"]
"""What is proved about a request without an answer; ``answered``: a status of ours that says it was not taken."""

AfterUnknown = Literal[
    "resend", "resend_same_key", "resend_same_store", "resend_if_fenced", "resolve", "tell", "keep", "fault"
]
"""What a seat does when it is not known whether its request was taken."""


@dataclass(frozen=True)
class EvidenceRow:
    """One name of the evidence table: what a language's own error is mapped onto before it is judged."""

    certainty: Literal["never_delivered", "unknown"]
    meaning: str
    """One sentence for a person."""
    permanent: bool = False
    """A refusal that a re-send cannot change (a certificate that is not trusted): fails at once."""


@dataclass(frozen=True)
class NativeRule:
    """One row of a language's native-error table; rows are tried in order, the first that matches decides."""

    evidence: str
    code: tuple[str, ...] | None = None
    """Error codes; ``*`` stands for any run of characters, the whole code is matched. None: any, or no code."""
    syscall: tuple[str, ...] | None = None
    """System calls. None: any; empty: the error names none."""
    name: tuple[str, ...] | None = None
    """Names of the error or of what it is a kind of. None: any."""
    within: tuple[str, ...] | None = None
    """Names of an error further out, of which this one is the cause. None: any, or no such error."""


@dataclass(frozen=True)
class AnswerMatch:
    """Answers of ours by status (an inclusive range) and code; None: any code."""

    status: tuple[int, int]
    codes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class AnswerRule:
    """One row of the answer table; rows are tried in order, the first that matches decides."""

    ours: bool
    certainty: Certainty
    status: tuple[int, int] | None = None
    codes: tuple[str, ...] | None = None
    mark: str | None = None
    """The value of the custodian's header."""
    only_flags: tuple[str, ...] | None = None
    """The body's ``flags`` is readable, a list, not empty, and every item is exactly one of these."""
    taken: bool | None = None


@dataclass(frozen=True)
class SeatPolicy:
    """What one seat may do; one row of the policy table."""

    never_delivered: Literal["resend", "tell", "keep"]
    unknown: AfterUnknown
    answers: tuple[AnswerMatch, ...]
    """Those that the seat asks again after."""
    window_ms: float | None
    """0: a single attempt. None: no window, it goes on for as long as it takes."""
    attempt_ms: float
    capability: str | None = None
    """The capability of the peer that this row needs; without it the operation's base row applies."""
    plus_poll: bool = False
    """The attempt timer is the poll's own wait plus ``attempt_ms``."""
    answer_resets: bool = False
    """An answer resets the ladder (seats with no window)."""


@dataclass(frozen=True)
class ResponseRow:
    """What the documents say of one status of an operation."""

    means: str
    taken: bool | Literal["unknown"]
    codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class OperationRow:
    """One operation of the documents."""

    method: Literal["GET", "POST", "PUT", "DELETE", "HEAD"]
    path: str
    seats: Mapping[str, SeatPolicy]
    responses: Mapping[int, ResponseRow]


@dataclass(frozen=True)
class OutcomeRow:
    """What the model is told about a pick."""

    kind: Literal["answer", "error"]
    text: str
    """A template; its language is described in ``spec/outcomes.yaml``."""
    invites: bool
    answers: tuple[AnswerMatch, ...] = ()
    """Answers that refuse a pick and come to this; what stands in no row is ``rejected``."""
    of_every_copy: bool = False
    """They speak of every copy of the pick, so they settle one that was in doubt."""


@dataclass(frozen=True)
class ProblemRow:
    """A problem code's status, and the title of its problem document."""

    status: int
    title: str


@dataclass(frozen=True)
class FaultRow:
    """One code of ``agent.fault.<slot>`` (``spec/faults.yaml``)."""

    category: str
    """The failure category of the execution's record."""
    meaning: str
    rerunnable: bool
    settlements: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    certainties: tuple[Certainty, ...] = ()


@dataclass(frozen=True)
class Ladder:
    """The back-off between re-sends: equal jitter over these rungs, the last of which repeats."""

    rungs_ms: tuple[int, ...]
    floor_share: float


@dataclass(frozen=True)
class Native:
    """How the errors of this language become evidence."""

    python: tuple[NativeRule, ...] = field(default=())
