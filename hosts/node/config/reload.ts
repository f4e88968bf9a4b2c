// Reads the configuration again on SIGHUP, as dockerd does. If it is wrong, nothing changes. Settings of registries are also
// read again when they change.

import { isDeepStrictEqual } from "node:util";
import type { AssembledEngine } from "../../engine/index.js";
import { settingsOf } from "../../engine/index.js";
import type { DaemonConfig } from "./config.js";
import type { Configuration } from "./configuration.js";
import { HostsWatch } from "./hosts-watch.js";
import type { Ground } from "../ground.js";
import type { HostsRemark } from "./registry-hosts.js";
import type { Log } from "../log.js";

/** Who is told of the new configuration. */
export interface Reloadable {
  engine: AssembledEngine;
  ground: Ground;
}

/**
 * Handles one signal or change after the other. A signal before the engine is there does nothing: the file is still to
 * be read.
 */
export class Reloads {
  /** The current configuration. */
  config: DaemonConfig;
  #configuration: Configuration;
  #told: Reloadable | null = null;
  #watch: HostsWatch | null = null;
  #last = Promise.resolve();
  readonly #signal = (): void => this.#next(() => this.#reload());

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
    this.#watch = new HostsWatch(this.config.registryCerts, () => this.#next(() => this.#rereadHosts()), this.log);
  }

  /**
   * Resolves when no reload is running and none will start. Signals are still caught: otherwise they would kill the
   * process.
   */
  async close(): Promise<void> {
    this.#told = null;
    this.#watch?.close();
    await this.#last;
  }

  /** Call this last of all. */
  stopListening(): void {
    process.off("SIGHUP", this.#signal);
  }

  async #reload(): Promise<void> {
    if (this.#told === null) return;
    const { engine, ground } = this.#told;
    const configuration = this.#configuration.reread();
    await ground.offer(configuration.config);
    this.#keep(configuration);
    tellHosts(this.config, this.log);
    engine.reload(settingsOf(ground.host, this.config));
    this.log.info("reloaded the configuration", { signal: "SIGHUP" });
  }

  /** Other files change there, too: only what differs counts. */
  #rereadHosts(): void {
    if (this.#told === null) return;
    const { engine, ground } = this.#told;
    const before = this.config;
    this.#keep(this.#configuration.rereadHosts());
    tellHosts({ registryRemarks: newRemarks(this.config, before) }, this.log);
    if (isDeepStrictEqual(this.config.registryHosts, before.registryHosts)) return;
    engine.reload(settingsOf(ground.host, this.config));
    this.log.info("reloaded the settings of registries", { directory: this.config.registryCerts });
  }

  #keep(configuration: Configuration): void {
    this.#configuration = configuration;
    this.config = configuration.config;
  }

  #next(reload: () => Promise<void> | void): void {
    this.#last = this.#last.then(reload).catch((error: Error) => {
      this.log.error("the configuration cannot be reloaded", { error: error.message });
    });
  }
}

function newRemarks(now: DaemonConfig, before: DaemonConfig): HostsRemark[] {
  return now.registryRemarks.filter((remark) => !before.registryRemarks.some((one) => isDeepStrictEqual(one, remark)));
}

/** Tells which settings of registries are not used. */
export function tellHosts({ registryRemarks }: Pick<DaemonConfig, "registryRemarks">, log: Log): void {
  for (const { file, why } of registryRemarks) {
    log.warn("settings of a registry are not used", { error: `${file}: ${why}` });
  }
}
