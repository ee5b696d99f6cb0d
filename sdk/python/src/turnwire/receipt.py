"""What a 2xx to a pick or a poll says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Union

from .ask import object_of
from .certainty import Answer
from .wire import Outstanding, Receipt


def read_delivery(answer: Answer) -> Union[Receipt, Outstanding, None]:
    """That it is answered, that it is worked on, or (None) nothing that makes sense."""
    body = object_of(answer)
    if body is None or answer.body_lost:
        return None
    if body.get("status") == "outstanding":
        return _outstanding_of(body)
    return _receipt_of(body) if body.get("status") == "delivered" else None


def receipt_outcome(receipt: Receipt) -> Literal["moved", "not_moved", "turn_complete"]:
    """The outcome of a receipt. An absent ``moved`` is not ``False`` (TW-DLV-007): it was taken, and the text claims no more."""
    if receipt.turn_complete is True:
        return "turn_complete"
    return "not_moved" if receipt.moved is False else "moved"


def _outstanding_of(body: dict[str, Any]) -> Outstanding | None:
    if not isinstance(body.get("deliveryId"), str):
        return None
    return Outstanding.model_validate(_those_that_are(body, {"deliveryId": is_text, "event": is_text}))


_RECEIPT: dict[str, Callable[[object], bool]] = {
    "deliveryId": lambda value: isinstance(value, str),
    "event": lambda value: isinstance(value, str),
    "moved": lambda value: isinstance(value, bool),
    "turnComplete": lambda value: isinstance(value, bool),
    "allowed": lambda value: is_names(value),
    "answer": lambda _: True,
    "answerError": lambda value: isinstance(value, str),
    "endedBy": lambda value: isinstance(value, str),
}


def _receipt_of(body: dict[str, Any]) -> Receipt:
    return Receipt.model_validate(_those_that_are(body, _RECEIPT))


def _those_that_are(body: dict[str, Any], types: dict[str, Callable[[object], bool]]) -> dict[str, Any]:
    """Members of another type than the wire's are as good as absent: nothing is made of them."""
    fine = {name: body[name] for name, is_type in types.items() if name in body and is_type(body[name])}
    return {"status": body["status"], **fine}


def is_text(value: object) -> bool:
    """A string."""
    return isinstance(value, str)


def is_names(value: object) -> bool:
    """A list of strings."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
