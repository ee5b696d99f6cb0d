"""A peer on a thread of its own, for what blocks or is another process."""

from __future__ import annotations

import asyncio
import threading

from peer import Script, peer_of


class Served:
    """Serves until the block is left."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._ready = threading.Event()
        self.url = ""

    def __enter__(self) -> Served:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        self._ready.wait()
        return self

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with peer_of(self._script) as self.peer:
            self.url = self.peer.url
            self._ready.set()
            await self._over.wait()

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
