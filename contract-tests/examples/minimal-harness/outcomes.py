"""What the model reads of its picks: the spec's own texts, read as spec/outcomes.yaml says (TW-OUT-001)."""

import json, re
from pathlib import Path

SPEC = json.loads((Path(__file__).parent / "gen/outcomes.json").read_text())
MARK = re.compile(r"\{([?!#])(\w+)\}((?:\{#\2\}.*?\{/\2\}|.)*?)\{/\2\}|\{(\w+)(,?)\}", re.DOTALL)

def render(template, values):
    def mark(found):
        kind, section, inner, name, is_list = found.groups()
        if kind == "#": return "".join(render(inner, {**values, **item}) for item in values[section])
        if kind: return render(inner, values) if (values.get(section) in (None, "")) == (kind == "!") else ""
        if is_list: return ", ".join(values[name]) or "(none)"
        value = values[name]
        if isinstance(value, str): return value
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return MARK.sub(mark, template)

def told(outcome, values):
    """The text of an outcome, and whether it is a failed call."""
    row = SPEC["outcomes"].get(outcome) or {"kind": "error", "text": SPEC["texts"][outcome]}
    return render(row["text"], values), row["kind"] == "error"

def of_receipt(receipt):
    if receipt.get("turnComplete"): return "turn_complete"
    return "not_moved" if receipt.get("moved") is False else "moved"

def of_refusal(status, answer, unsure):
    """What an answer comes to that refuses a pick, of which an earlier copy may still come; its values."""
    other = {"otherEvent": answer.get("event"), "otherDeliveryId": answer.get("deliveryId")}
    reason = {"problemCode": answer.get("code"), "problemDetail": answer.get("detail", "").rstrip(".")}
    found, values = "rejected", {**answer, **other, **reason}
    for outcome, row in SPEC["outcomes"].items():
        for match in row.get("answers", []):
            low, high = match["status"]
            codes = match.get("codes", [answer.get("code")])
            if low <= status <= high and answer.get("code") in codes: found = outcome
    return found if SPEC["outcomes"][found].get("ofEveryCopy") or not unsure else "unknown", values
