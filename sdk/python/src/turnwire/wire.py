"""The bodies of the wire under plain names, from the documents.

Readers ignore fields that they do not know (TW-GEN-012); what an older peer may leave out of a receipt is optional here
(TW-DLV-007).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, Union

from pydantic import JsonValue, TypeAdapter, ValidationError

from .gen import types as gen
from .gen.types import (
    AbortResult,
    Admission,
    AgentDefinition,
    ExecutionAccepted,
    ExecutionRecord,
    ExecutionResult,
    GateView,
    HarnessInfo,
    History,
    Limits,
    MenuItem,
    Message,
    MessagePart,
    NodeAgent,
    NodeRegistered,
    NodeView,
    OrchestratorInfo,
    RunView,
    Settlement,
    StreamRecord,
    Surface,
    WireModel,
    WorkflowView,
)
from .gen.types import AdmissionRequest as AdmitBody

__all__ = [
    "AbortResult",
    "Admission",
    "AdmitBody",
    "AgentDefinition",
    "ExecutionAccepted",
    "ExecutionRecord",
    "ExecutionResult",
    "FeedEvent",
    "GateView",
    "HarnessInfo",
    "History",
    "JsonValue",
    "Limits",
    "MenuItem",
    "Message",
    "MessagePart",
    "NodeAgent",
    "NodeRegistered",
    "NodeView",
    "OrchestratorInfo",
    "Outstanding",
    "Page",
    "ProblemBody",
    "Receipt",
    "RunView",
    "Settlement",
    "StreamRecord",
    "Surface",
    "UnknownRecord",
    "WireModel",
    "WorkflowView",
    "model_of",
    "record_of",
]

ProblemBody = dict[str, Any]
"""An RFC 9457 problem of ours (TW-GEN-004), as it came; ``code`` is one of ``gen.protocol.PROBLEM_CODES``."""


class Receipt(WireModel):
    """The answer to a pick. An absent ``moved`` is not ``False``, and an absent ``allowed`` is not empty."""

    status: Literal["delivered"] = "delivered"
    delivery_id: str | None = None
    event: str | None = None
    moved: bool | None = None
    turn_complete: bool | None = None
    allowed: list[str] | None = None
    answer: JsonValue = None
    answer_error: str | None = None
    ended_by: str | None = None


class Outstanding(WireModel):
    """A pick that was taken and is not answered yet."""

    status: Literal["outstanding"] = "outstanding"
    delivery_id: str
    event: str | None = None


class UnknownRecord(WireModel):
    """A record of a type that this version does not know: it means nothing to its reader (TW-STR-029)."""

    type: str


Item = TypeVar("Item")
Model = TypeVar("Model", bound=WireModel)


@dataclass(frozen=True)
class Page(Generic[Item]):
    """One page of a list (TW-GEN-014)."""

    items: list[Item]
    next_cursor: str | None = None


@dataclass(frozen=True)
class FeedEvent:
    """One frame of a feed: the SSE event's name, its id when it has one, and its data with the record's fields."""

    event: str
    data: dict[str, Any]
    id: str | None = None


def model_of(model: type[Model], body: Mapping[str, Any]) -> Model:
    """A body as its model.

    A member that breaks its schema is kept as it came, and one that is missing is None: what a seat needs it has looked at
    before, and versions may skew.
    """
    try:
        return model.model_validate(body)
    except ValidationError:
        fields = {field.alias or name: (name, field) for name, field in model.model_fields.items()}
        missing = {name: None for key, (name, field) in fields.items() if key not in body and field.is_required()}
        known = {
            fields[key][0]: _lenient(fields[key][1].annotation, value) for key, value in body.items() if key in fields
        }
        others = {key: value for key, value in body.items() if key not in fields}
        return model.model_construct({*known, *others}, **missing, **known, **others)


def _lenient(annotation: Any, value: object) -> object:
    try:
        return TypeAdapter(annotation).validate_python(value)
    except ValidationError:
        return value


def record_of(body: Mapping[str, Any]) -> Union[StreamRecord, UnknownRecord]:
    """A record of a stream."""
    model = _RECORD_TYPES.get(str(body.get("type")))
    return (
        UnknownRecord.model_validate({**body, "type": str(body.get("type"))})
        if model is None
        else model_of(model, body)
    )


def _record_types() -> dict[str, type[Any]]:
    members: tuple[type[WireModel], ...] = gen.StreamRecord.__args__
    return {str(member.model_fields["type"].default): member for member in members}


_RECORD_TYPES = _record_types()
