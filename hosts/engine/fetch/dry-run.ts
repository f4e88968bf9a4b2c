// A session of dry runs, with the same methods as the engine itself.

import type { DryRunSession, Plan } from "../../dry-run/index.js";
import type { Entrance } from "../entrance.js";
import type { Connection } from "./connection.js";
import { LocalRequests } from "./local-requests.js";

/**
 * Answers what a request would do, without doing it. A copy of the engine, made when the first request arrives, decides
 * on a host that imagines its effects. It sees its earlier imagined effects. It sees nothing that really happens
 * meanwhile, except the ends of real processes. After five minutes without a request, the next one starts with a new
 * copy.
 */
export interface DryRun {
  /** Like `Engine.fetch`; each answer has the header `Coracle-Dry-Run`. Also rejects if the engine is down. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** Like `Engine.connect`. Input is dropped. */
  connect(input: Request | URL | string, init?: RequestInit): Promise<Connection>;
  /** Everything that would have been done so far. */
  plan(): Plan;
  /** Forgets the imagined effects and frees their memory, which is as much as the engine's core uses. */
  close(): void;
}

export class LocalDryRun implements DryRun {
  readonly #session: DryRunSession;
  readonly #local: LocalRequests;

  /** `entrance`: of the real engine. */
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
