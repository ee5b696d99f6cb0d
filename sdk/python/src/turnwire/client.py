"""The client for asyncio: one peer at one address."""

from __future__ import annotations

from types import TracebackType

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
from .internals import Connection


class AsyncClient(Connection):
    """One peer at one address, for asyncio. Nothing is sent before the first call (TW-RET-024).

    It owns its sockets (or uses your ``transport``), belongs to the event loop that it is used in, and leaves nothing behind
    after :meth:`close`. Cancel a task and its call is over, its socket closed.

    :param base_url: Absolute ``http:`` or ``https:`` URL, without query and fragment; a path is kept.
    :param token: Sent as ``Authorization: Bearer …`` to the origin of ``base_url`` alone, and shown nowhere.
    :param verify: Whom to trust, in place of the authorities that httpx knows.
    :param transport: Your own httpx transport; it is never closed here. ``before_send`` needs one that traces, as httpx's does.
    :param clock: Time, for tests. :param random: Uniform in [0, 1), for tests.
    :param log: Gets each routability line; pass ``lambda line: logger.warning(line.msg)``.
    :param metric: Gets the same lines, for counting.
    :param on_retry: Called before each sleep of the ladder.
    :param headers: Sent with every request.
    :raises ArgumentError: naming the argument that is wrong.
    """

    admit = _admit.admit
    wait = _stream.wait
    history = _history.history
    stream_tail = _history.stream_tail
    abort = _abort.abort
    surface = _surface.surface
    deliver = _deliver.deliver
    poll = _poll.poll
    list_workflows = _runs.list_workflows
    get_workflow = _runs.get_workflow
    start_run = _runs.start_run
    list_runs = _runs.list_runs
    get_run = _runs.get_run
    answer_gate = _runs.answer_gate
    cancel_run = _runs.cancel_run
    run_events = _feed.run_events
    register_node = _nodes.register_node
    heartbeat = _nodes.heartbeat
    list_nodes = _nodes.list_nodes
    read_node = _nodes.read_node
    remove_node = _nodes.remove_node
    execute = _executions.execute
    read_execution = _executions.read_execution
    list_executions = _executions.list_executions
    cancel_execution = _executions.cancel_execution
    replay_execution = _executions.replay_execution
    harness_info = _info.harness_info
    orchestrator_info = _info.orchestrator_info
    health = _info.health
    readiness = _info.readiness
    metrics = _info.metrics

    async def close(self) -> None:
        """Ends every call in flight (fault ``aborted``) and every socket of its own. Nothing is left behind."""
        await self._close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
