// A session of dry runs in another program.

import type { Plan } from "../dry-run/format.js";
import type { DryRunSession } from "../dry-run/session.js";
import { ConnectChannel } from "./connect-channel.js";
import type { Connection, DryRun } from "./engine.js";
import { FetchChannel } from "./fetch-channel.js";
import { LocalRequests, UPGRADE } from "./local-requests.js";
import type { Entrance } from "./local-requests.js";
import { readRequest } from "./request.js";

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

  async fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    const asked = readRequest(input, init);
    const channel = new FetchChannel(asked.method);
    this.#local.send(asked, channel);
    return channel.response;
  }

  async connect(input: Request | URL | string, init?: RequestInit): Promise<Connection> {
    const channel = new ConnectChannel();
    this.#local.send(readRequest(input, init), channel, UPGRADE);
    return channel.connection;
  }

  plan(): Plan {
    return this.#session.plan();
  }

  close(): void {
    this.#session.end();
  }
}
