import type { LogLine } from './process.ts';
import type { FeedFrame } from './wire.ts';

/** Prints what happens while it happens, one line each: when, where, what. */
export class Timeline {
  private readonly started = Date.now();
  private readonly names = new Map<string, string>();
  /** The routability lines as the roles wrote them: what re-sending cost, seat by seat. */
  readonly routability: { role: string; seat: string; attempts: number; ms: number; last: string }[] = [];

  constructor(private readonly write: (text: string) => void) {}

  say(where: string, what: string): void {
    const seconds = ((Date.now() - this.started) / 1000).toFixed(1).padStart(5);
    this.write(`${seconds} s  ${where.padEnd(12)}  ${what}\n`);
  }

  /** The name that a person reads instead of a run's id. */
  name(runId: string, name: string): void {
    this.names.set(runId, name);
  }

  log(line: LogLine): void {
    const { fields, msg, role } = line;
    if (msg.startsWith('turnwire.routability')) {
      const { seat, attempts, ms, last } = fields;
      this.routability.push({
        role,
        seat: String(seat),
        attempts: Number(attempts),
        ms: Number(ms),
        last: String(last),
      });
      this.say(role, `absorbed: seat ${seat}, ${attempts} attempts in ${Math.round(Number(ms))} ms, last ${last}`);
    } else if (role === 'custodian' && msg === 'unreachable') {
      this.say(
        role,
        `no answer from the orchestrator to a ${fields.route}: flags ${[fields.flags].flat().join(',')}, ${fields.attempts} attempts`,
      );
    }
  }

  frame({ type, data }: FeedFrame): void {
    const run = this.names.get(String(data.runId)) ?? '';
    const text = sentence(type, data);
    if (text) this.say('orchestrator', `${run}: ${text}`);
  }
}

function sentence(type: string, data: FeedFrame['data']): string | undefined {
  switch (type) {
    case 'execution.dispatching':
      return 'the turn is on its way to the harness';
    case 'execution.running':
      return 'the harness took the turn';
    case 'execution.succeeded':
      return 'the turn is over';
    case 'execution.failed':
      return `the turn failed: ${data.category ?? data.code ?? 'no reason given'}`;
    case 'pick':
      return pickSentence(data);
    case 'run.retry':
      return `${data.reason} number ${data.attempt}${data.code ? ` after ${data.code}` : ''}`;
    case 'gate.opened':
      return gateSentence(data.gate as { gate?: string; meta?: unknown });
    case 'gate.closed':
      return `answered ${data.event ?? ''}`;
    case 'run.status':
      return data.value === undefined ? String(data.status) : `${data.status} in state ${JSON.stringify(data.value)}`;
    default:
      return undefined;
  }
}

/** What the person at the gate has to know: the workflow's own word about it, cut to a line. */
function gateSentence({ gate, meta }: { gate?: string; meta?: unknown }): string {
  const about = meta === undefined ? '' : `: ${JSON.stringify(meta).slice(0, 160)}`;
  return `waits for a person at ${gate}${about}`;
}

function pickSentence({ event, status, turnComplete }: FeedFrame['data']): string {
  if (status === 'outstanding') return `the agent picked ${event}; taken, the workflow works on it`;
  return `the agent's pick ${event} is answered${turnComplete ? ' and ends its turn' : ''}`;
}
