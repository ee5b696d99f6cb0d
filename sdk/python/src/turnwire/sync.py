"""The client that blocks: the same seats, for programs without an event loop.

It runs the calls of the asyncio client on a thread of its own, so that an abort ends a call wherever it is, and an attempt has
one timer over all of it. The thread is started with the first call and ends with :meth:`Client.close`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from . import abort as _abort
from . import admit as _admit
from . import deliver as _deliver
from . import executions as _executions
from . import feed as _feed
from . import history as _history
from . import info as _info
from . import nodes as _nodes
from . import poll as _poll
from . import runs as _runs
from . import stream as _stream
from . import surface as _surface
from .internals import CallOptions, Connection
from .limits import CLOSE_SECONDS
from .stream import Record
from .wire import FeedEvent, Settlement

P = ParamSpec("P")
Value = TypeVar("Value")


class _Thread:
    """A thread with an event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="turnwire", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            self._loop.close()

    def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # An interrupt of the thread that waits: the call is of no use any more, and its socket is closed.
            future.cancel()
            raise

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_SECONDS)


def _blocking(
    seat: Callable[Concatenate[Connection, P], Coroutine[Any, Any, Value]],
) -> Callable[Concatenate[Client, P], Value]:
    @wraps(seat)
    def call(client: Client, /, *args: P.args, **kwargs: P.kwargs) -> Value:
        return client._run(lambda: seat(client, *args, **kwargs))

    return call


class Client(Connection):
    """One peer at one address, for programs that block. See :class:`turnwire.AsyncClient` for the arguments.

    It may be used by many threads at once. What it calls back (``log``, ``before_send``, ``on_outstanding``, …) is called on its
    own thread, one at a time; a callback must not call this client.
    """

    _thread: _Thread | None = None

    admit = _blocking(_admit.admit)
    history = _blocking(_history.history)
    stream_tail = _blocking(_history.stream_tail)
    abort = _blocking(_abort.abort)
    surface = _blocking(_surface.surface)
    deliver = _blocking(_deliver.deliver)
    poll = _blocking(_poll.poll)
    list_workflows = _blocking(_runs.list_workflows)
    get_workflow = _blocking(_runs.get_workflow)
    start_run = _blocking(_runs.start_run)
    list_runs = _blocking(_runs.list_runs)
    get_run = _blocking(_runs.get_run)
    answer_gate = _blocking(_runs.answer_gate)
    cancel_run = _blocking(_runs.cancel_run)
    register_node = _blocking(_nodes.register_node)
    heartbeat = _blocking(_nodes.heartbeat)
    list_nodes = _blocking(_nodes.list_nodes)
    read_node = _blocking(_nodes.read_node)
    remove_node = _blocking(_nodes.remove_node)
    execute = _blocking(_executions.execute)
    read_execution = _blocking(_executions.read_execution)
    list_executions = _blocking(_executions.list_executions)
    cancel_execution = _blocking(_executions.cancel_execution)
    replay_execution = _blocking(_executions.replay_execution)
    harness_info = _blocking(_info.harness_info)
    orchestrator_info = _blocking(_info.orchestrator_info)
    health = _blocking(_info.health)
    readiness = _blocking(_info.readiness)
    metrics = _blocking(_info.metrics)

    def wait(self, *, stream_url: str, offset: str, options: CallOptions | None = None) -> BlockingWait:
        """Waits on a stream from an offset; see :func:`turnwire.stream.wait`."""
        return BlockingWait(self, _stream.wait(self, stream_url=stream_url, offset=offset, options=options))

    def run_events(
        self, *, run_id: str | None = None, options: CallOptions | None = None
    ) -> Generator[FeedEvent, None, None]:
        """Follows a feed; see :func:`turnwire.feed.run_events`. Close the generator to leave before its end."""
        events = _feed.run_events(self, run_id=run_id, options=options)
        return self._iterated(events)

    def close(self) -> None:
        """Ends every call in flight (fault ``aborted``), every socket of its own, and its thread. Nothing is left behind."""
        thread, self._thread = self._thread, None
        self._closed = True
        if thread is not None:
            thread.run(self._close())
            thread.end()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, work: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        with _starting:
            if self._thread is None and not self._closed:
                self._thread = _Thread()
            thread = self._thread
        if thread is None:
            return asyncio.run(work())
        return thread.run(work())

    def _iterated(self, events: Any) -> Generator[FeedEvent, None, None]:
        iterator = _Iterator[FeedEvent](self, events)
        try:
            yield from iterator
        finally:
            self._run(events.aclose)


_starting = threading.Lock()


class _Iterator(Generic[Value]):
    """Takes the items of an async iterator one by one."""

    def __init__(self, client: Client, items: AsyncIterator[Value]) -> None:
        self._client = client
        self._items = items

    def __iter__(self) -> _Iterator[Value]:
        return self

    def __next__(self) -> Value:
        item = self._client._run(self._next)
        if not item:
            raise StopIteration
        return item[0]

    async def _next(self) -> list[Value]:
        """The next item, or none: a coroutine cannot raise StopIteration."""
        try:
            return [await self._items.__anext__()]
        except StopAsyncIteration:
            return []


class BlockingWait:
    """A wait on a Submission: an iterator of its records, and how it ended."""

    def __init__(self, client: Client, wait: _stream.Wait) -> None:
        self._client = client
        self._wait = wait

    @property
    def offset(self) -> str:
        """Everything before it has been yielded: a wait that is begun here misses nothing."""
        return self._wait.offset

    def __iter__(self) -> BlockingWait:
        return self

    def __next__(self) -> Record:
        return next(_Iterator[Record](self._client, self._wait))

    def settlement(self) -> Settlement:
        """Follows the stream to the Settlement, in place of iterating, or after."""
        return self._client._run(self._wait.settlement)

    def close(self) -> None:
        """Gives the wait up."""
        self._client._run(self._wait.aclose)
