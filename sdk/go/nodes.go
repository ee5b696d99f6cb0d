package turnwire

import (
	"context"
	"encoding/json"

	"turnwire.dev/go/gen"
)

// RegisterNode registers a Harness as the node of its placement, through its Custodian (seat register). There is no window: it asks
// until it has its answer; a context or a Window bounds it. Heartbeat then, every HeartbeatSeconds (TW-NOD-022).
//
// Faults: invalid with Problem "problems"; wrong_placement; the code of another final answer, aborted; so of everything in this file.
func (c *Client) RegisterNode(ctx context.Context, nodeID string, of NodeRegistration, given ...CallOption) (*NodeRegistered, error) {
	var check checks
	check.segment(nodeID, "nodeID").text(of.BaseURL, "BaseURL").key(of.InstanceID, "InstanceID")
	if of.Agents == nil {
		of.Agents = []gen.NodeAgent{}
	}
	call := operationCall{operation: "registerNode", path: nodePath(nodeID), body: check.json(of, "Agents")}
	return valueOf(ask(ctx, c, question[*NodeRegistered]{seat: "register", call: call, decode: decodeRegistered}, given, &check))
}

// Heartbeat says that a node lives (seat heartbeat, without a window; give a Window below the interval, so that none is late for the
// next).
//
// Faults: unknown_node: register again (TW-NOD-007); stale_instance: another process of this node has registered since (TW-NOD-008).
func (c *Client) Heartbeat(ctx context.Context, nodeID, instanceID string, lifecycle gen.NodeLifecycle, given ...CallOption) error {
	var check checks
	check.segment(nodeID, "nodeID").key(instanceID, "instanceID").text(string(lifecycle), "lifecycle")
	body := check.json(gen.Heartbeat{InstanceID: instanceID, Lifecycle: lifecycle}, "lifecycle")
	call := operationCall{operation: "heartbeatNode", path: nodePath(nodeID), body: body}
	_, err := ask(ctx, c, question[map[string]json.RawMessage]{seat: "heartbeat", call: call, decode: anyObject}, given, &check)
	return err
}

// ListNodes lists the nodes that are registered, by name, with health and lifecycle (seat nodes, 30 s; TW-NOD-019).
func (c *Client) ListNodes(ctx context.Context, given ...CallOption) (*Page[NodeView], error) {
	call := operationCall{operation: "listNodes"}
	return valueOf(ask(ctx, c, question[*Page[NodeView]]{seat: "nodes", call: call, decode: pageOf[NodeView]}, given, &checks{}))
}

// ReadNode shows one node (seat nodes, 30 s). Fault unknown_node.
func (c *Client) ReadNode(ctx context.Context, nodeID string, given ...CallOption) (*NodeView, error) {
	var check checks
	check.segment(nodeID, "nodeID")
	call := operationCall{operation: "readNode", path: nodePath(nodeID)}
	decode := decodeWith[NodeView]("nodeId", "health")
	return valueOf(ask(ctx, c, question[*NodeView]{seat: "nodes", call: call, decode: decode}, given, &check))
}

// RemoveNode removes a node (seat remove_node, 30 s). That an earlier copy of this call did it is success too. Fault unknown_node.
func (c *Client) RemoveNode(ctx context.Context, nodeID string, given ...CallOption) error {
	var check checks
	check.segment(nodeID, "nodeID")
	call := operationCall{operation: "removeNode", path: nodePath(nodeID)}
	_, err := ask(ctx, c, question[struct{}]{seat: "remove_node", call: call, decode: nothing}, given, &check)
	if endedMeanwhile(err, "unknown_node") {
		return nil
	}
	return err
}

func nodePath(nodeID string) map[string]string { return map[string]string{"nodeId": nodeID} }

func decodeRegistered(answer Answer) (*NodeRegistered, bool) {
	object := objectOf(answer)
	if memberOf[float64](object, "heartbeatSeconds") == nil || memberOf[float64](object, "leaseSeconds") == nil {
		return nil, false
	}
	return decodeLenient[NodeRegistered](answer.Body)
}
