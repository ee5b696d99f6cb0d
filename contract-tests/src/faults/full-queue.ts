import { type ChildProcess, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** An address whose SYNs are dropped: a connect to it neither succeeds nor fails. */
export interface FullQueue {
  readonly port: number;
  close(): Promise<void>;
}

/** Milliseconds after which a connect on loopback counts as dropped. */
const droppedMs = 250;
/** A queue of one holds two on Linux; where this many get in there is no dropping. */
const mostFillers = 16;

// It listens and blocks, so that nobody is ever accepted; and looks now and then whether its parent still lives.
const blocker = `
const { writeSync } = require('node:fs');
const parent = process.ppid;
const server = require('node:net').createServer();
server.listen({ host: process.argv[1], port: Number(process.argv[2]), backlog: 1 }, () => {
  writeSync(1, server.address().port + '\\n');
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (process.ppid === parent) Atomics.wait(cell, 0, 0, 500);
  process.exit();
});`;

/** Fills the accept queue of a listener that never accepts. Rejects where the machine does not drop SYNs. */
export async function fullQueue(host: string, port: number): Promise<FullQueue> {
  const child = spawn(process.execPath, ['-e', blocker, host, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const fillers: Socket[] = [];
  const close = async () => {
    for (const filler of fillers) filler.destroy();
    await killed(child);
  };
  const taken = await firstLine(child);
  while (fillers.length < mostFillers) {
    const { socket, dropped } = await fill(host, taken);
    fillers.push(socket);
    if (dropped) return { port: taken, close };
  }
  await close();
  throw new Error('this machine drops no SYNs: the accept queue takes everybody');
}

function fill(host: string, port: number): Promise<{ socket: Socket; dropped: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.on('error', () => {});
    const timer = setTimeout(() => resolve({ socket, dropped: true }), droppedMs);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve({ socket, dropped: false });
    });
  });
}

async function firstLine(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('the blocking listener has no output');
  for await (const line of createInterface({ input: child.stdout })) return Number(line);
  throw new Error('the blocking listener did not start');
}

function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
