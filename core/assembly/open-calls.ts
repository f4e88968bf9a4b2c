// Requests that are not fully answered and need to know when their clients disconnect or read.

import { Call } from "./call";

class OpenCalls {
  private readonly byId: Map<u64, Call> = new Map<u64, Call>();

  /** The call is told about its client from now on. */
  add(call: Call): void {
    this.byId.set(call.id, call);
  }

  /** The call has been answered, or its client has disconnected. */
  remove(id: u64): void {
    this.byId.delete(id);
  }

  find(id: u64): Call | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }
}

export const openCalls: OpenCalls = new OpenCalls();
