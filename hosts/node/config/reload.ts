// Reads the configuration again on SIGHUP, as dockerd does. If it is wrong, nothing changes.

import type { AssembledEngine } from "../../engine/index.js";
import { settingsOf } from "../../engine/index.js";
import type { DaemonConfig } from "./config.js";
import type { Configuration } from "./configuration.js";
import type { Ground } from "../ground.js";
import type { Log } from "../log.js";

/** Who is told of the new configuration. */
export interface Reloadable {
  engine: AssembledEngine;
  ground: Ground;
}

/**
 * Handles one signal after the other. A signal before the engine is there does nothing: the file is still to be read.
 */
export class Reloads {
  /** The current configuration. */
  config: DaemonConfig;
  #configuration: Configuration;
  #told: Reloadable | null = null;
  #last = Promise.resolve();
  readonly #signal = (): void => {
    this.#last = this.#last.then(() => this.#reload());
  };

  constructor(
    configuration: Configuration,
    private readonly log: Log,
  ) {
    this.#configuration = configuration;
    this.config = configuration.config;
    process.on("SIGHUP", this.#signal);
  }

  tell(told: Reloadable): void {
    this.#told = told;
  }

  /**
   * Resolves when no reload is running and none will start. Signals are still caught: otherwise they would kill the
   * process.
   */
  async close(): Promise<void> {
    this.#told = null;
    await this.#last;
  }

  /** Call this last of all. */
  stopListening(): void {
    process.off("SIGHUP", this.#signal);
  }

  async #reload(): Promise<void> {
    if (this.#told === null) return;
    const { engine, ground } = this.#told;
    try {
      const configuration = this.#configuration.reread();
      await ground.offer(configuration.config);
      this.#configuration = configuration;
      this.config = configuration.config;
      tellHosts(this.config, this.log);
      engine.reload(settingsOf(ground.host, configuration.config));
      this.log.info("reloaded the configuration", { signal: "SIGHUP" });
    } catch (error) {
      this.log.error("the configuration cannot be reloaded", { error: (error as Error).message });
    }
  }
}

/** Tells which settings of registries are not used. */
export function tellHosts({ registryRemarks }: DaemonConfig, log: Log): void {
  for (const { file, why } of registryRemarks) {
    log.warn("settings of a registry are not used", { error: `${file}: ${why}` });
  }
}
