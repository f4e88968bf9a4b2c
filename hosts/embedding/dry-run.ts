// A session of dry runs in another program.

import type { Plan } from "../dry-run/format.js";
import type { DryRunSession } from "../dry-run/session.js";
import type { Connection, DryRun } from "./engine.js";
import { LocalRequests } from "./local-requests.js";
import type { Entrance } from "./local-requests.js";

export class EmbeddedDryRun implements DryRun {
  readonly #session: DryRunSession;
  readonly #local: LocalRequests;

  /** `entrance`: of the engine that would do it. */
  constructor(entrance: Entrance, session: DryRunSession) {
    this.#session = session;
    const { bodyLimit } = entrance;
    const requireOpen = (): void => entrance.requireOpen();
    this.#local = new LocalRequests({ bodyLimit, requireOpen, passage: (method) => session.passage(method) });
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
