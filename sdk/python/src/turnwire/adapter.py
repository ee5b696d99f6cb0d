"""Speaks the adapter protocol of the contract tests (JSON lines, one command, one result).

So ``turnwire-contract client --command "python -m turnwire.adapter"`` can hold this SDK to the same cases as every other. Not part
of the package's API.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_camel, to_snake

from . import AbortSignal, AsyncClient, CallOptions, Delivered, TurnwireFault, __version__
from .adapter_vectors import classified, delays, receipt_says, text_of

SEATS = (
    *("admit", "wait", "history", "abort", "surface", "deliver", "poll", "startRun", "listRuns", "getRun"),
    *("answerGate", "cancelRun", "harnessInfo", "orchestratorInfo", "listWorkflows"),
)


def introduced(_: Any) -> dict[str, Any]:
    """The answer to ``init``."""
    features = ["cancel", "ladder", "texts", "receipts", "routability", *SEATS]
    return {"protocol": 1, "language": "python", "version": __version__, "features": features}


PURE: dict[str, Callable[[Any], dict[str, Any]]] = {
    "init": introduced,
    "classify": classified,
    "ladder": delays,
    "text": text_of,
    "receipt": receipt_says,
}


def plain(value: Any) -> Any:
    """A value of ours as JSON has it."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if is_dataclass(value):
        return {to_camel(each.name): plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


@dataclass
class Adapter:
    """One client for each URL, until it is closed."""

    clients: dict[str, tuple[AsyncClient, list[str]]] = field(default_factory=dict)
    running: dict[str, AbortSignal] = field(default_factory=dict)

    async def perform(self, command: dict[str, Any]) -> dict[str, Any]:
        """The result of one command."""
        name = command.get("command", "")
        given = command["input"] if isinstance(command.get("input"), dict) else command
        if name in PURE:
            return PURE[name](given)
        if name == "cancel":
            if (signal := self.running.get(command.get("of", ""))) is not None:
                signal.abort()
            return {"outcome": "ok"}
        if name == "close":
            if (opened := self.clients.pop(command.get("url", ""), None)) is not None:
                await opened[0].close()
            return {"outcome": "ok"}
        return await self.call_seat(command, given) if name in SEATS else {"outcome": "unsupported"}

    async def call_seat(self, command: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
        """Calls a seat as its user would."""
        client, lines = self.client_of(command)
        signal = self.running[command["id"]] = AbortSignal()
        options = command.get("options") or {}
        call = CallOptions(signal, options.get("windowMs"), options.get("attemptMs"))
        arguments = {to_snake(name): value for name, value in given.items()}
        seat = getattr(client, to_snake(command["command"]))
        try:
            if command["command"] == "wait":
                value = await waited(seat(**arguments, options=call))
            else:
                value = await seat(**arguments, options=call)
            return {**succeeded(value), "lines": lines[:]}
        except TurnwireFault as fault:
            return {**failed(fault), "lines": lines[:]}
        finally:
            lines.clear()
            del self.running[command["id"]]

    def client_of(self, command: dict[str, Any]) -> tuple[AsyncClient, list[str]]:
        """The client of the command's URL."""
        url = command.get("url", "")
        if url not in self.clients:
            lines: list[str] = []
            client = AsyncClient(url, token=command.get("token"), log=lambda line: lines.append(line.msg))
            self.clients[url] = client, lines
        return self.clients[url]


async def waited(wait: Any) -> dict[str, Any]:
    """All records of a stream, and how it ended."""
    records = [plain(record) async for record in wait]
    return {"settlement": plain(await wait.settlement()), "records": records, "offset": wait.offset}


def succeeded(value: Any) -> dict[str, Any]:
    """What came of a call."""
    said = plain(value)
    costs = {"attempts": getattr(value, "attempts", None), "value": said}
    if not isinstance(value, Delivered):
        return {"outcome": "ok", **costs}
    names = ("kind", "text", "certainty", "taken")
    return {"outcome": value.code, **{name: said[name] for name in names}, **costs}


def failed(fault: TurnwireFault) -> dict[str, Any]:
    """A fault, as the protocol has it."""
    names = ("seat", "code", "certainty", "status", "address", "attempts", "elapsed_ms", "permanent")
    error = {to_camel(name): getattr(fault, name) for name in names}
    return {
        "outcome": "fault",
        "certainty": fault.certainty,
        "attempts": fault.attempts,
        "error": {**error, "message": str(fault)},
    }


async def answer(line: str, perform: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]) -> None:
    """A line that is no JSON object is answered, and the next one is heard."""
    command: Any = None
    try:
        command = json.loads(line)
        result = await perform(command)
    except Exception as error:
        result = {"outcome": "thrown", "error": {"message": f"{type(error).__name__}: {error}"}}
    told = {"id": command.get("id") if isinstance(command, dict) else None, **result}
    said = {name: value for name, value in told.items() if value is not None}
    sys.stdout.write(f"{json.dumps(said)}\n")
    sys.stdout.flush()


async def warm() -> None:
    """httpx loads much of itself with the first request; the kit's short timers are not about that."""
    async with AsyncClient("http://127.0.0.1:1") as client:
        with contextlib.suppress(TurnwireFault):
            await client.health()


async def main() -> None:
    """Answers until the input ends."""
    adapter = Adapter()
    await warm()
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        task = asyncio.ensure_future(answer(line, adapter.perform))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    for client, _ in adapter.clients.values():
        await client.close()


if __name__ == "__main__":
    asyncio.run(main())
