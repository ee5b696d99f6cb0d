/** What holds in every case, whatever it is about: no claim against what arrived. */
import { operationAt } from '../coverage/documents.ts';
import type { Arrival } from '../faults/record.ts';
import { Document } from '../run/document.ts';
import type { ClientCase } from './case.ts';
import { usualReceipt } from './peer/orchestrator.ts';
import { anyPhrase, readable, textPattern } from './render.ts';
import { copiesOf, isCustodiansProof, type Mismatch, type Seen, wasTaken } from './seen.ts';
import { outcomes } from './spec.ts';

type Rule = (seen: Seen, of: ClientCase) => Mismatch[];

/** Outcomes whose text says that the pick was not taken. */
const notTaken = new Set([
  'never_reached',
  'refused',
  'outstanding_conflict',
  'stopping',
  'rejected',
  'turn_over',
  'forbidden',
]);

const neverDelivered: Rule = ({ result, arrivals }, { address, steps }) => {
  const claim = result.certainty ?? result.error?.certainty;
  const read = arrivals.filter((each) => each.bytes.length > 0 && !isCustodiansProof(each, steps));
  if (claim !== 'never_delivered' || read.length === 0 || address === 'https') return [];
  const bytes = read.reduce((sum, each) => sum + each.bytes.length, 0);
  const did = `claims \`never_delivered\`, and the peer read ${bytes} bytes of it`;
  return [{ did, should: 'claim `unknown` at most', requirement: 'TW-CER-008' }];
};

const delivered: Rule = ({ result, arrivals }, { peer, steps }) => {
  const claim = result.certainty ?? result.error?.certainty;
  const taken = arrivals.some((each) => wasTaken(each, steps)) || peer.taken !== undefined;
  if ((claim !== 'delivered' && result.taken !== true) || taken) return [];
  return [
    {
      did: 'claims that it was taken, and it was not',
      should: 'claim no more than is proved',
      requirement: 'TW-CER-002',
    },
  ];
};

/** A success is something that the peer said. */
const heard: Rule = (seen, of) => {
  if (seen.result.outcome !== 'ok') return [];
  const answers = copiesOf(seen, of).some((each) => wasTaken(each, of.steps) || each.upstream === notModified);
  if (answers) return [];
  const did = 'reports a success that no answer of the peer is behind';
  return [{ did, should: 'report what the peer said', requirement: 'TW-CER-001' }];
};

const notModified = 304;

const untaken: Rule = ({ result, effects }) => {
  const claims = result.taken === false || notTaken.has(result.outcome ?? '');
  if (!claims || effects.transitions === 0) return [];
  const did = `says \`${result.outcome}\`, and the machine took the pick ${effects.transitions} time(s)`;
  return [{ did, should: 'never say of a taken pick that it was not', requirement: 'TW-OUT-018' }];
};

const sameKeys: Rule = (seen, of) => {
  const whole = copiesOf(seen, of).filter((copy) => copy.whole && copy.method === 'POST');
  const differs = (part: (copy: Arrival) => string) => new Set(whole.map(part)).size > 1;
  const should = 'send the same request again';
  if (differs((copy) => copy.headers['idempotency-key'] ?? ''))
    return [{ did: 'sent a copy under another key', should, requirement: 'TW-RET-016' }];
  return differs((copy) => copy.body.toString())
    ? [{ did: 'sent a copy with another body', should, requirement: 'TW-RET-009' }]
    : [];
};

const credential: Rule = ({ result, arrivals, token }) => {
  const without = arrivals.find((each) => each.whole && each.headers.authorization !== `Bearer ${token}`);
  const told = JSON.stringify(result).includes(token);
  return [
    ...(without ? [{ did: 'sent a request without its token', should: 'send it', requirement: 'TW-GEN-010' }] : []),
    ...(told ? [{ did: 'tells its token in a result', should: 'keep it', requirement: 'TW-GEN-029' }] : []),
  ];
};

/** A fault says who gave up, where, after how much; never a bare "fetch failed". */
const faultShape: Rule = ({ result, url }, { call }) => {
  if (result.outcome !== 'fault') return [];
  const { seat, address = '', attempts, elapsedMs, message = '', code } = result.error ?? {};
  const { host } = new URL(url);
  const wrong = [
    ...(seat === call.seat ? [] : [`seat ${seat}`]),
    ...(address.includes(host) ? [] : [`address ${address}`]),
    ...(typeof attempts === 'number' && typeof elapsedMs === 'number' ? [] : ['no attempts and time']),
    ...(typeof code === 'string' ? [] : ['no code']),
    ...(message === '' || /^(TypeError: )?fetch failed$/.test(message) ? [`message ${JSON.stringify(message)}`] : []),
  ];
  if (wrong.length === 0) return [];
  const should = `name the seat ${call.seat}, the address ${host}, the last error, attempts and time`;
  return [{ did: `reports a fault with ${wrong.join(', ')}`, should, requirement: 'TW-RET-021' }];
};

/** A seat that needed more than one attempt writes one line. */
const routability: Rule = ({ result }, { call }) => {
  if (result.lines === undefined) return [];
  const form = /^turnwire\.routability seat=\w+ attempts=\d+ ms=\d+ last=\S+ url=\S+$/;
  const odd = result.lines.find((line) => !form.test(line));
  const requirement = 'TW-RET-022';
  if (odd !== undefined)
    return [{ did: `wrote the line \`${odd}\``, should: 'write it as the spec has it', requirement }];
  const own = result.lines.filter((line) => line.includes(` seat=${call.seat} `)).length;
  const attempts = result.attempts ?? result.error?.attempts ?? 0;
  if (own <= 1 && (attempts <= 1 || own === 1)) return [];
  return [{ did: `wrote ${own} routability lines after ${attempts} attempts`, should: 'write one', requirement }];
};

/** The text of an outcome is the spec's, rendered with what the peer said. */
const text: Rule = ({ result }, { call, peer, expect }) => {
  const outcome = outcomes[result.outcome ?? ''];
  if (call.command !== 'deliver' || outcome === undefined) return [];
  const receipt: Record<string, unknown> = { ...usualReceipt, ...peer.receipt };
  const said = result.kind === 'answer' ? receipt : {};
  const values = { ...said, detail: anyPhrase, event: call.input.event, ...expect.texts };
  const should = `render \`${readable(outcome.text, values)}\``;
  const right = textPattern(outcome.text, values).test(result.text ?? '') && result.kind === outcome.kind;
  if (right) return [];
  return [{ did: `tells the model, as ${result.kind}, \`${result.text}\``, should, requirement: 'TW-OUT-001' }];
};

/** The request itself is the probe. */
const noProbe: Rule = ({ arrivals }) => {
  const probe = arrivals.find(({ target }) => /^\/(readyz|healthz)(\?|$)/.test(target));
  if (probe === undefined) return [];
  return [{ did: `asked ${probe.target} first`, should: 'send its request at once', requirement: 'TW-RET-024' }];
};

/** Each whole request is one of the documents. */
const documented: Rule = ({ arrivals }) => {
  for (const arrival of arrivals.filter(({ whole }) => whole)) {
    const { method, target, headers } = arrival;
    const name = operationAt('orchestrator', method, target) ? 'orchestrator' : 'harness';
    const text = arrival.body.toString();
    const found = documents[name].requestViolations({
      method,
      target,
      headers,
      body: text === '' ? undefined : json(text),
    });
    if (found[0]) return [found[0]];
  }
  return [];
};

const documents = { harness: new Document('harness'), orchestrator: new Document('orchestrator') };

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const rules: readonly Rule[] = [
  ...[
    noProbe,
    documented,
    neverDelivered,
    delivered,
    heard,
    untaken,
    sameKeys,
    credential,
    faultShape,
    routability,
    text,
  ],
];

export function broken(seen: Seen, of: ClientCase): Mismatch[] {
  return rules.flatMap((rule) => rule(seen, of));
}
