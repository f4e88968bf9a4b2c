// The daemon's configuration as a thing that can be read again while it runs, as dockerd does on SIGHUP.

import { configOf, givenValues } from "./config.js";
import type { DaemonConfig } from "./config.js";
import { OPTIONS } from "./options.js";
import type { Values } from "./options.js";

export class Configuration {
  readonly config: DaemonConfig;
  readonly #flags: Values;
  readonly #values: Values;

  private constructor(flags: Values, values: Values) {
    this.#flags = flags;
    this.#values = values;
    this.config = configOf(values);
  }

  /** Throws `ConfigError`. */
  static read(flags: Values): Configuration {
    return new Configuration(flags, givenValues(flags));
  }

  /**
   * What holds once the file is read again: only some keys are looked at, and what the file leaves out stays. Throws
   * `ConfigError` where a daemon could not be started with it.
   */
  reread(): Configuration {
    const now = givenValues(this.#flags);
    configOf(now);
    const read = OPTIONS.filter(({ reloads, flag }) => reloads === true && now.has(flag));
    return new Configuration(
      this.#flags,
      new Map([...this.#values, ...read.map(({ flag }) => [flag, now.get(flag)!] as const)]),
    );
  }
}
