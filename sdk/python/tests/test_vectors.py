"""The shared vectors of the spec: what every language agrees on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnwire.adapter_vectors import classified, delays, receipt_says, text_of
from turnwire.gen.protocol import OUTCOMES

FOLDER = Path(__file__).parents[3] / "spec/vectors"


def vectors(*names: str) -> list[Any]:
    read = [(name, json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["vectors"]) for name in names]
    return [pytest.param(vector, id=f"{name}/{vector['id']}") for name, listed in read for vector in listed]


@pytest.mark.parametrize("vector", vectors("classification", "classification-python"))
def test_classification(vector: dict[str, Any]) -> None:
    said = classified({"evidence": vector["input"]})
    expected = vector["expected"]
    assert said["certainty"] == expected["certainty"]
    assert said.get("permanent", False) == expected.get("permanent", False)
    for name in ("taken", "code", "evidence"):
        if name in expected:
            assert said.get(name) == expected[name]


@pytest.mark.parametrize("vector", vectors("ladder"))
def test_ladder(vector: dict[str, Any]) -> None:
    said, expected = delays(vector["input"]), vector["expected"]
    assert said.keys() == expected.keys()
    for name in expected.keys() - {"exhausted"}:
        assert said[name] == pytest.approx(expected[name], abs=1)


@pytest.mark.parametrize("vector", vectors("outcomes"))
def test_texts(vector: dict[str, Any]) -> None:
    given, expected = vector["input"], vector["expected"]
    assert text_of(given)["text"].encode() == expected["text"].encode()
    if "code" in given and "kind" in expected:
        row = OUTCOMES[given["code"]]
        assert (row.kind, row.invites) == (expected["kind"], expected["invites"])


@pytest.mark.parametrize("vector", vectors("receipts"))
def test_receipts(vector: dict[str, Any]) -> None:
    said: Callable[[str], Any] = receipt_says(vector["input"]).get
    for name, expected in vector["expected"].items():
        assert said(name) == expected
