"""Time, injected so that a ladder can be tested without waiting. Milliseconds everywhere."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """What the ladder sleeps by."""

    def now(self) -> float:
        """Milliseconds from any fixed point; never runs backwards."""
        ...

    async def sleep(self, ms: float) -> None:
        """Returns after ``ms`` milliseconds. It is cancelled when the call is aborted."""
        ...


class SystemClock:
    """The clock of the machine: monotonic."""

    def now(self) -> float:
        return time.monotonic() * 1000

    async def sleep(self, ms: float) -> None:
        await asyncio.sleep(ms / 1000)
