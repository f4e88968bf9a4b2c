// The daemon's configuration, which can be read again while it runs, as dockerd does on SIGHUP.

import { configOf, givenValues } from "./config.js";
import type { DaemonConfig } from "./config.js";
import { OPTIONS } from "./options.js";
import type { Values } from "./options.js";

export class Configuration {
  readonly config: DaemonConfig;
  readonly #flags: Values;
  readonly #values: Values;

  private constructor(flags: Values, values: Values, former?: Configuration) {
    this.#flags = flags;
    this.#values = values;
    this.config = configOf(values, former?.config.registryHosts);
  }

  /** Throws `ConfigError`. */
  static read(flags: Values): Configuration {
    return new Configuration(flags, givenValues(flags));
  }

  /**
   * The configuration after the file was read again. Only some keys are read, and a key that the file leaves out keeps
   * its value. Throws `ConfigError` if a daemon could not start with it.
   */
  reread(): Configuration {
    const now = givenValues(this.#flags);
    configOf(now);
    const read = OPTIONS.filter(({ reloads, flag }) => reloads === true && now.has(flag));
    return new Configuration(
      this.#flags,
      new Map([...this.#values, ...read.map(({ flag }) => [flag, now.get(flag)!] as const)]),
      this,
    );
  }
}
