// Requests that are not fully answered and want to hear of their clients.

import { Call } from "./call";

class OpenCalls {
  private readonly byId: Map<u64, Call> = new Map<u64, Call>();

  /** Its client is heard of from now on. */
  add(call: Call): void {
    this.byId.set(call.id, call);
  }

  /** It has its answer, or nobody waits for one. */
  remove(id: u64): void {
    this.byId.delete(id);
  }

  find(id: u64): Call | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }
}

export const openCalls: OpenCalls = new OpenCalls();
