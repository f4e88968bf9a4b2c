// HTTP to an embedded engine without a socket, for clients that use Node's `http`.

import { Agent } from "node:http";
import type { AgentOptions } from "node:http";
import type { Duplex } from "node:stream";
import type { AssembledEngine } from "../engine/index.js";
import type { ApiServer } from "../node/http/server.js";
import { EmbeddedEngine } from "./embedded-engine.js";
import type { Engine } from "./engine.js";
import { connectionPair } from "./node-connection.js";

/**
 * An agent whose connections all lead to the engine, whatever host and port a request names. Attach and other hijacked
 * connections work as they do over a socket. `engine` must come from `openEngine`.
 */
export function engineAgent(engine: Engine, options?: AgentOptions): Agent {
  if (!(engine instanceof EmbeddedEngine)) throw new TypeError("engineAgent needs an engine from openEngine");
  return new EngineAgent(engine.assembled, options);
}

class EngineAgent extends Agent {
  readonly #engine: AssembledEngine;
  #server: Promise<ApiServer> | null = null;

  constructor(engine: AssembledEngine, options?: AgentOptions) {
    super(options);
    this.#engine = engine;
  }

  // Called by Node's client for each connection.
  override createConnection({ timeout }: AgentOptions): Duplex {
    const [client, server] = connectionPair(timeout);
    void this.#serve(server).catch((error: Error) => client.destroy(error));
    return client;
  }

  async #serve(connection: Duplex): Promise<void> {
    const api = await (this.#server ??= this.#startServer());
    try {
      this.#engine.requireOpen();
    } catch (error) {
      throw Object.assign(new Error("connect ECONNREFUSED", { cause: error }), { code: "ECONNREFUSED" });
    }
    api.serve(connection, "internal");
  }

  /** Loaded here: programs that only use `fetch` need no HTTP server. */
  async #startServer(): Promise<ApiServer> {
    const { ApiServer } = await import("../node/http/server.js");
    const engine = this.#engine;
    const api = await ApiServer.create({ entrance: engine, generation: () => engine.generation });
    this.#engine.join(api);
    return api;
  }
}
