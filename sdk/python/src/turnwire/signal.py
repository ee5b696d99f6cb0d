"""What a caller ends a call with, from any thread or task."""

from __future__ import annotations

import threading
from collections.abc import Callable


class AbortSignal:
    """Ends the calls that it was given to: fault ``aborted``, and of ``deliver`` an outcome.

    It works for both clients and from every thread. A cancelled asyncio task ends its call too, but then the call cannot say
    what became of it: who wants to know gives a signal.
    """

    def __init__(self) -> None:
        self._aborted = False
        self._lock = threading.Lock()
        self._listeners: set[Callable[[], None]] = set()

    @property
    def aborted(self) -> bool:
        """Whether :meth:`abort` was called."""
        return self._aborted

    def abort(self) -> None:
        """Ends every call that has this signal, now and later. A second call changes nothing."""
        with self._lock:
            self._aborted = True
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def _listen(self, listener: Callable[[], None]) -> None:
        with self._lock:
            self._listeners.add(listener)

    def _unlisten(self, listener: Callable[[], None]) -> None:
        with self._lock:
            self._listeners.discard(listener)
