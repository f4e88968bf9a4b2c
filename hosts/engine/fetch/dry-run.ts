// A session of dry runs, asked as the engine itself is.

import type { Plan } from "../../dry-run/format.js";
import type { DryRunSession } from "../../dry-run/session.js";
import type { Entrance } from "../entrance.js";
import type { Connection } from "./connection.js";
import { LocalRequests } from "./local-requests.js";

/**
 * What would be done, and is not: requests are decided by a copy of the engine as it was when the first of them came, on
 * a host that imagines. It sees what it has imagined before, and nothing of what really happens meanwhile, but for the
 * ends of processes that really run. After five minutes without a request it begins anew with the next.
 */
export interface DryRun {
  /** As `Engine.fetch`; each answer has the header `Coracle-Dry-Run`. Rejects when the engine is down, too. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** As `Engine.connect`. What is sent is thrown away. */
  connect(input: Request | URL | string, init?: RequestInit): Promise<Connection>;
  /** What would have been done so far. */
  plan(): Plan;
  /** Forgets what it has imagined, and frees its memory: as much as the engine's core has. */
  close(): void;
}

export class LocalDryRun implements DryRun {
  readonly #session: DryRunSession;
  readonly #local: LocalRequests;

  /** `entrance`: of the engine that would do it. */
  constructor(entrance: Entrance, session: DryRunSession) {
    this.#session = session;
    const { bodyLimit } = entrance;
    const requireOpen = (): void => entrance.requireOpen();
    this.#local = new LocalRequests({ bodyLimit, requireOpen, passage: ({ method }) => session.passage(method) });
  }

  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    return this.#local.fetch(input, init);
  }

  connect(input: Request | URL | string, init?: RequestInit): Promise<Connection> {
    return this.#local.connect(input, init);
  }

  plan(): Plan {
    return this.#session.plan();
  }

  close(): void {
    this.#session.end();
  }
}
