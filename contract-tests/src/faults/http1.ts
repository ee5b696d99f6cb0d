/** As much HTTP/1.1 as it takes to know where a message begins and ends; nothing is judged and no byte is changed. */

export interface Head {
  readonly startLine: string;
  /** Lower-case names, in the order in which they came. */
  readonly headers: readonly (readonly [string, string])[];
  /** Length of the head in bytes, the empty line included. */
  readonly length: number;
}

export const headerIn = (head: Head, name: string): string | undefined =>
  head.headers.find(([each]) => each === name)?.[1];

type Framing = { kind: 'none' } | { kind: 'length'; length: number } | { kind: 'chunked' } | { kind: 'close' };

/** A message as it arrives. */
export class Message {
  /** What came, joined when somebody looks at it: a body in many pieces is not copied with each of them. */
  #pieces: Buffer[] = [];
  #size = 0;
  #framing: Framing | undefined;
  #end: number | undefined;
  #scanned = 0;
  head: Head | undefined;
  readonly #framingOf: (head: Head) => Framing | 'interim';

  constructor(framingOf: (head: Head) => Framing | 'interim') {
    this.#framingOf = framingOf;
  }

  static request(): Message {
    return new Message((head) => lengthOf(head) ?? { kind: 'none' });
  }

  /** The answer to a request of this method. */
  static answer(method: string): Message {
    return new Message((head) => {
      const status = Number(head.startLine.split(' ')[1]);
      if (status < 200) return 'interim';
      if (method === 'HEAD' || status === 204 || status === 304) return { kind: 'none' };
      return lengthOf(head) ?? { kind: 'close' };
    });
  }

  /** Everything that came, what lies behind the end of the message not included. */
  get bytes(): Buffer {
    return this.#end === undefined ? this.#bytes : this.#bytes.subarray(0, this.#end);
  }

  /** What came after the end. */
  get rest(): Buffer {
    return this.#end === undefined ? Buffer.alloc(0) : this.#bytes.subarray(this.#end);
  }

  get whole(): boolean {
    return this.#end !== undefined;
  }

  /** The first line, as soon as it is there. */
  get startLine(): string | undefined {
    const end = this.#bytes.indexOf('\r\n');
    return end < 0 ? undefined : this.#bytes.toString('latin1', 0, end);
  }

  /** The body without its chunk framing, as far as it came. */
  get body(): Buffer {
    if (this.head === undefined) return Buffer.alloc(0);
    const raw = this.bytes.subarray(this.head.length);
    return this.#framing?.kind === 'chunked' ? unchunked(raw) : raw;
  }

  push(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#size += chunk.length;
    if (this.#end === undefined) this.#look();
  }

  get #bytes(): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.#pieces;
    if (more.length === 0) return first;
    const joined = Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }

  /** The connection ended: that is the end of a message without framing. */
  ended(): void {
    if (this.#framing?.kind === 'close') this.#end = this.#size;
  }

  #look(): void {
    if (this.head === undefined && !this.#readHead()) return;
    const start = this.head?.length ?? 0;
    const framing = this.#framing ?? { kind: 'none' };
    if (framing.kind === 'none') this.#end = start;
    else if (framing.kind === 'length' && this.#size >= start + framing.length) this.#end = start + framing.length;
    else if (framing.kind === 'chunked') this.#end = this.#scanChunks(start);
  }

  #readHead(): boolean {
    const end = this.#bytes.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = parseHead(this.#bytes.toString('latin1', 0, end), end + 4);
    const framing = this.#framingOf(head);
    if (framing === 'interim') {
      const rest = this.#bytes.subarray(end + 4);
      this.#pieces = [rest];
      this.#size = rest.length;
      return this.#readHead();
    }
    this.head = head;
    this.#framing = framing;
    return true;
  }

  #scanChunks(start: number): number | undefined {
    this.#scanned = Math.max(this.#scanned, start);
    for (;;) {
      const line = this.#bytes.indexOf('\r\n', this.#scanned);
      if (line < 0) return undefined;
      const size = Number.parseInt(this.#bytes.toString('latin1', this.#scanned, line), 16);
      if (Number.isNaN(size)) return this.#bytes.length;
      if (size === 0) return this.#endOfTrailers(line);
      if (this.#bytes.length < line + 2 + size + 2) return undefined;
      this.#scanned = line + 2 + size + 2;
    }
  }

  #endOfTrailers(line: number): number | undefined {
    const empty = this.#bytes.indexOf('\r\n\r\n', line);
    return empty < 0 ? undefined : empty + 4;
  }
}

function parseHead(source: string, length: number): Head {
  const [startLine = '', ...lines] = source.split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { startLine, headers, length };
}

function lengthOf(head: Head): Framing | undefined {
  if (/\bchunked\b/i.test(headerIn(head, 'transfer-encoding') ?? '')) return { kind: 'chunked' };
  const length = headerIn(head, 'content-length');
  return length === undefined ? undefined : { kind: 'length', length: Number(length) || 0 };
}

function unchunked(raw: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (;;) {
    const line = raw.indexOf('\r\n', at);
    const size = line < 0 ? 0 : Number.parseInt(raw.toString('latin1', at, line), 16);
    if (!(size > 0)) return Buffer.concat(pieces);
    pieces.push(raw.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
