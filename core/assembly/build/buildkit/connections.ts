// Connections on which clients make calls (surface §1.8). Each call names its own by the request that became it.

import { Closing } from "../../../../build/bindings/types";
import { Call, Follower } from "../../call";

/** How many calls of one connection wait for something at once. Builds of many targets have some hundreds on their way. */
const MOST_WAITING: i32 = 1000;

/** Its calls are told by themselves when the client has gone. */
export class Connection extends Follower {
  private waiting: i32 = 0;

  constructor(readonly request: u64) {
    super();
  }

  closed(_call: Call, _why: Closing): void {
    connections.drop(this);
  }

  /** One more of its calls waits. False if too many do. */
  beginWaiting(): bool {
    if (this.waiting >= MOST_WAITING) return false;
    this.waiting += 1;
    return true;
  }

  endWaiting(): void {
    this.waiting -= 1;
  }
}

class Connections {
  private readonly byRequest: Map<u64, Connection> = new Map<u64, Connection>();

  add(connection: Connection): void {
    this.byRequest.set(connection.request, connection);
  }

  drop(connection: Connection): void {
    this.byRequest.delete(connection.request);
  }

  /** The one by which a call has come; null for an ordinary request. */
  of(call: Call): Connection | null {
    const carrier = call.request.carrier;
    if (carrier === null || !this.byRequest.has(carrier.value)) return null;
    return this.byRequest.get(carrier.value);
  }
}

export const connections: Connections = new Connections();
