// The daemon's configuration, which can be read again while it runs, as dockerd does on SIGHUP.

import { configOf, givenValues, hostsOf } from "./config.js";
import type { DaemonConfig } from "./config.js";
import { OPTIONS } from "./options.js";
import type { Values } from "./options.js";

export class Configuration {
  readonly config: DaemonConfig;
  readonly #flags: Values;
  readonly #values: Values;

  private constructor(flags: Values, values: Values, config: DaemonConfig) {
    this.#flags = flags;
    this.#values = values;
    this.config = config;
  }

  /** Throws `ConfigError`. */
  static read(flags: Values): Configuration {
    const values = givenValues(flags);
    return new Configuration(flags, values, configOf(values));
  }

  /**
   * The configuration after the file was read again. Only some keys are read, and a key that the file leaves out keeps
   * its value. Throws `ConfigError` if a daemon could not start with it.
   */
  reread(): Configuration {
    const now = givenValues(this.#flags);
    configOf(now);
    const read = OPTIONS.filter(({ reloads, flag }) => reloads === true && now.has(flag));
    const values = new Map([...this.#values, ...read.map(({ flag }) => [flag, now.get(flag)!] as const)]);
    return new Configuration(this.#flags, values, configOf(values, this.config.registryHosts));
  }

  /** The configuration after only the settings of registries were read again. */
  rereadHosts(): Configuration {
    const found = hostsOf(this.config, this.config.registryHosts);
    return new Configuration(this.#flags, this.#values, { ...this.config, ...found });
  }
}
