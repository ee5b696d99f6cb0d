"""Nodes: a Harness that comes and goes registers itself, and heartbeats.

Every call here raises ``TurnwireFault`` with the code of a final answer or ``aborted``, and ``ArgumentError`` naming the argument
that is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

from .arguments import check_key, check_segment, check_text, json_text
from .ask import ask, object_of, object_with
from .certainty import Answer
from .fault import TurnwireFault
from .gen.types import HarnessCapabilities, NodeDeployment, NodeLifecycle
from .internals import CallOptions, Connection
from .keyed import page_of
from .request import request_of
from .wire import NodeAgent, NodeRegistered, NodeView, Page, model_of


async def register_node(
    connection: Connection,
    *,
    node_id: str,
    instance_id: str,
    base_url: str,
    deployment: NodeDeployment,
    agents: Sequence[Union[NodeAgent, Mapping[str, Any]]],
    capabilities: Union[HarnessCapabilities, Mapping[str, bool]],
    version: str | None = None,
    store: str | None = None,
    options: CallOptions | None = None,
) -> NodeRegistered:
    """Registers a Harness as the node of its placement, through its Custodian (seat ``register``).

    There is no window: it asks until it has its answer; a ``signal`` or a ``window_ms`` bounds it. Heartbeat then, every
    ``heartbeat_seconds`` (TW-NOD-022).

    :param instance_id: Fresh for each process (TW-NOD-006).
    :param base_url: Where the node serves the Harness API.
    :param store: The identity of its data folder, as its answers carry it.
    :raises TurnwireFault: ``invalid`` with ``problem["problems"]``; ``wrong_placement``.
    """
    check_segment(node_id, "node_id")
    check_text(base_url, "base_url")
    check_key(instance_id, "instance_id")
    registration = {
        "baseUrl": base_url,
        "instanceId": instance_id,
        "agents": list(agents),
        "deployment": deployment,
        "capabilities": dict(capabilities) if isinstance(capabilities, Mapping) else capabilities,
        "version": version,
        "store": store,
    }
    given = {name: value for name, value in registration.items() if value is not None}
    body = json_text(given, "agents")
    request = request_of(connection, "registerNode", path={"nodeId": node_id}, body=body, options=options)
    return (await ask(connection, "register", "registerNode", request, _registered, options=options)).value


async def heartbeat(
    connection: Connection,
    *,
    node_id: str,
    instance_id: str,
    lifecycle: NodeLifecycle,
    options: CallOptions | None = None,
) -> None:
    """Says that a node lives (seat ``heartbeat``, without a window).

    Give a ``window_ms`` below the interval, so that none is late for the next.

    :raises TurnwireFault: ``unknown_node``: register again (TW-NOD-007); ``stale_instance``: another process of this node has
        registered since (TW-NOD-008).
    """
    check_segment(node_id, "node_id")
    check_key(instance_id, "instance_id")
    check_text(lifecycle, "lifecycle")
    body = json_text({"instanceId": instance_id, "lifecycle": lifecycle}, "lifecycle")
    request = request_of(connection, "heartbeatNode", path={"nodeId": node_id}, body=body, options=options)
    await ask(connection, "heartbeat", "heartbeatNode", request, object_of, options=options)


async def list_nodes(connection: Connection, *, options: CallOptions | None = None) -> Page[NodeView]:
    """Lists the nodes that are registered, by name, with health and lifecycle (seat ``nodes``, 30 s; TW-NOD-019)."""
    request = request_of(connection, "listNodes", options=options)
    return (await ask(connection, "nodes", "listNodes", request, page_of(NodeView), options=options)).value


async def read_node(connection: Connection, *, node_id: str, options: CallOptions | None = None) -> NodeView:
    """Shows one node (seat ``nodes``, 30 s). Fault ``unknown_node``."""
    check_segment(node_id, "node_id")
    request = request_of(connection, "readNode", path={"nodeId": node_id}, options=options)
    decode = object_with(NodeView, "nodeId", "health")
    return (await ask(connection, "nodes", "readNode", request, decode, options=options)).value


async def remove_node(connection: Connection, *, node_id: str, options: CallOptions | None = None) -> None:
    """Removes a node (seat ``remove_node``, 30 s). That an earlier copy of this call did it is success too.

    :raises TurnwireFault: ``unknown_node``.
    """
    check_segment(node_id, "node_id")
    request = request_of(connection, "removeNode", path={"nodeId": node_id}, options=options)
    try:
        await ask(connection, "remove_node", "removeNode", request, _removed, options=options)
    except TurnwireFault as fault:
        if fault.code != "unknown_node" or fault.attempts == 1:
            raise


def _removed(_: Answer) -> Literal[True]:
    return True


def _registered(answer: Answer) -> NodeRegistered | None:
    body = object_of(answer) or {}
    terms = [body.get("heartbeatSeconds"), body.get("leaseSeconds")]
    if not all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in terms):
        return None
    return model_of(NodeRegistered, body)
