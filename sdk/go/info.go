package turnwire

import "context"

// HarnessInfo is /.well-known/turnwire of a Harness: store and capabilities (seat harness_read, 30 s; TW-GEN-016).
//
// Faults: the code of a final answer, unreachable, aborted.
func (c *Client) HarnessInfo(ctx context.Context, given ...CallOption) (*HarnessInfo, error) {
	return info(ctx, c, "getHarnessInfo", "harness_read", decodeWith[HarnessInfo]("role", "store"), given)
}

// OrchestratorInfo is /.well-known/turnwire of an Orchestrator (seat orchestrator_read, 30 s). Faults as of [Client.HarnessInfo].
func (c *Client) OrchestratorInfo(ctx context.Context, given ...CallOption) (*OrchestratorInfo, error) {
	return info(ctx, c, "getOrchestratorInfo", "orchestrator_read", decodeWith[OrchestratorInfo]("role"), given)
}

// Health is GET /healthz, one attempt of 5 s: it succeeds while the process serves, also while it drains (TW-GEN-023).
func (c *Client) Health(ctx context.Context, given ...CallOption) error {
	_, err := info(ctx, c, "getHealth", "probe", nothing, given)
	return err
}

// Readiness is GET /readyz, one attempt of 5 s: it succeeds when the peer takes work (TW-GEN-024), else fault starting, draining,
// stopping. No seat needs it before its first request (TW-RET-024).
func (c *Client) Readiness(ctx context.Context, given ...CallOption) error {
	_, err := info(ctx, c, "getReadiness", "probe", nothing, given)
	return err
}

// Metrics is GET /metrics, one attempt of 5 s: counters in Prometheus' text format.
func (c *Client) Metrics(ctx context.Context, given ...CallOption) (string, error) {
	decode := func(answer Answer) (string, bool) { return string(answer.Body), answer.Body != nil }
	return info(ctx, c, "getMetrics", "probe", decode, append([]CallOption{Header("Accept", "text/plain")}, given...))
}

func info[Value any](ctx context.Context, c *Client, operation, seat string, decode func(Answer) (Value, bool), given []CallOption) (value Value, err error) {
	of := question[Value]{seat: seat, call: operationCall{operation: operation}, decode: decode}
	asked, err := ask(ctx, c, of, given, &checks{})
	if err != nil {
		return value, err
	}
	return asked.value, nil
}
