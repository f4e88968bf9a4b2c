// The two ends of a connection.

import type { Clock } from "../../shared/index.js";
import type { Sink, Source } from "../processes/streams.js";
import { Flow, type Carry } from "./flow.js";

export interface Peer {
  address: string;
  port: number;
}

/** One end, as the program there sees it. */
export interface ConnectionEnd {
  /** Ends when the other end sends no more. Release it to take no more. */
  readonly source: Source;
  /** Release it to send no more. */
  readonly sink: Sink;
  readonly local: Peer;
  readonly remote: Peer;
  /** Sends and takes no more. */
  close(): void;
}

/** `there` and `back`: how bytes get from `from` to `to`, and back. */
export function connected(clock: Clock, [there, back]: [Carry, Carry], from: Peer, to: Peer): ConnectionPair {
  const broken = (): void => {
    out.break();
    home.break();
  };
  const out: Flow = new Flow(clock, there, broken);
  const home: Flow = new Flow(clock, back, broken);
  return { near: endOf(home, out, from, to), far: endOf(out, home, to, from) };
}

export interface ConnectionPair {
  near: ConnectionEnd;
  far: ConnectionEnd;
}

function endOf({ source }: Flow, { sink }: Flow, local: Peer, remote: Peer): ConnectionEnd {
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    source.release();
    sink.release();
  };
  return { source, sink, local, remote, close };
}
