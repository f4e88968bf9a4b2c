// nc -u: datagrams in place of a connection, as in busybox.

import type { ContainerProcess } from "../../processes/process.js";
import type { Output } from "../../program.js";
import { SocketError } from "../../traffic/errors.js";
import type { ConnectionEnd, Peer } from "../../traffic/connection.js";
import type { OwnedDatagrams } from "../../traffic/process-datagrams.js";
import { BrokenPipe } from "../../processes/descriptors.js";

/** How many bytes of its input nc sends in one datagram. */
const MOST_BYTES = 8192;
/** With -z, how long an answer may take that nobody listens, without -w. */
const PROBE_NS = 1_000_000_000n;

/** What nc is told besides its peer. */
export interface Wish {
  /** Nanoseconds; undefined for no limit. */
  patience: bigint | undefined;
  /** Serves the other side instead of the own input and output. */
  program: readonly string[];
}

/** Sends to a peer what comes in. Throws `SocketError` if there is no way. */
export function sendTo(process: ContainerProcess, socket: OwnedDatagrams, peer: Peer, wish: Wish): Promise<number> {
  return exchange(process, socket.connect(peer), wish);
}

/** Whether a peer does not say that nobody listens there: one datagram, then silence. */
export async function probe(
  process: ContainerProcess,
  socket: OwnedDatagrams,
  peer: Peer,
  patience = PROBE_NS,
): Promise<boolean> {
  const { source, sink } = socket.connect(peer);
  sink.put(new Uint8Array(1));
  await process.sleep(patience);
  return source.take() !== null;
}

/** Waits for the first datagram and stays with its sender. `isLasting`: and waits for other senders beside it. */
export async function receive(
  process: ContainerProcess,
  { port, address }: { port: number; address: string | undefined },
  { isLasting, ...wish }: Wish & { isLasting: boolean },
): Promise<number> {
  const { network } = process;
  for (let isFirst = true; ; isFirst = false) {
    const socket = network.datagrams(port, address);
    const { from } = await socket.arrival(isFirst ? wish.patience : undefined);
    const end = socket.connect(from);
    if (!isLasting || wish.program.length === 0) return exchange(process, end, wish);
    void serve(process, end, wish.program);
  }
}

/** The child holds the socket: it goes on when nc has let go of it. */
function serve(process: ContainerProcess, end: ConnectionEnd, program: readonly string[]): Promise<number> {
  const { input, output } = process.network.socket(end);
  const child = process.spawn({ argv: program, stdin: input, stdout: output });
  process.network.release(end);
  return child.exited;
}

async function exchange(process: ContainerProcess, end: ConnectionEnd, { patience, program }: Wish): Promise<number> {
  if (program.length > 0) return serve(process, end, program);
  const { input, output } = process.network.socket(end, patience);
  let hasEnded = false;
  void passPieces(process, output).then(
    () => (hasEnded = true),
    () => {},
  );
  for (;;) {
    try {
      for (let piece = await input.read(); piece; piece = await input.read()) await process.stdout.write(piece);
      return 0;
    } catch (error) {
      if (error instanceof BrokenPipe) return 0;
      if (!(error instanceof SocketError)) throw error;
      if (hasEnded) return 0; // nothing came for as long as -w says
    }
  }
}

async function passPieces({ stdin }: ContainerProcess, output: Output): Promise<void> {
  for (let piece = await stdin.read(); piece; piece = await stdin.read())
    for (let at = 0; at < piece.length; at += MOST_BYTES) await output.write(piece.slice(at, at + MOST_BYTES));
}
