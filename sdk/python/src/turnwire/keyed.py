"""What the seats for people share: keys, and pages of lists."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import TypeVar

from .arguments import check_key
from .ask import object_of
from .certainty import Answer, header_of
from .gen.protocol import HEADERS
from .wire import Page, WireModel, model_of

Model = TypeVar("Model", bound=WireModel)


def key_header(key: str | None) -> dict[str, str | None]:
    """The ``Idempotency-Key`` of a call; minted when the caller gave none, so that it can be sent again."""
    if key is not None:
        check_key(key, "key")
    return {HEADERS.idempotency_key: str(uuid.uuid4()) if key is None else key}


def is_replayed(answer: Answer) -> bool:
    """Whether the key was known, and this is its answer again (TW-GEN-018)."""
    return header_of(answer, HEADERS.replayed) == "true"


def page_of(model: type[Model]) -> Callable[[Answer], Page[Model] | None]:
    """Reads one page of a list (TW-GEN-014)."""

    def decode(answer: Answer) -> Page[Model] | None:
        body = object_of(answer)
        items = None if body is None else body.get("items")
        if body is None or not isinstance(items, list):
            return None
        cursor = body.get("nextCursor")
        return Page(
            [model_of(model, item) for item in items if isinstance(item, dict)],
            cursor if isinstance(cursor, str) else None,
        )

    return decode
