// Parses the arguments of the commands about traces.

import { parseArgs } from "node:util";
import { daemonConfig } from "../config/config.js";
import type { DaemonConfig } from "../config/config.js";
import { ConfigError } from "../config/options.js";
import type { Values } from "../config/options.js";

export interface TraceArguments {
  files: string[];
  /** The given values, by flag. */
  given: { [Flag in (typeof TEXTS)[number]]?: string } & { [Flag in (typeof SWITCHES)[number]]?: boolean };
}

const TEXTS = ["host", "data-root", "config-file", "until"] as const;
const SWITCHES = ["share", "simulated", "any-core", "help"] as const;

/** Throws `ConfigError` for flags that are not in `allowed`, and for a wrong number of files. */
export function traceArguments(args: readonly string[], files: number, allowed: readonly string[]): TraceArguments {
  const { values, positionals } = parsed(args);
  const foreign = Object.keys(values).find((flag) => flag !== "help" && !allowed.includes(flag));
  if (foreign !== undefined) throw new ConfigError(`unknown flag: --${foreign}`);
  if (values["help"] !== true && positionals.length !== files) {
    throw new ConfigError(`${files === 1 ? "one file name is" : `${files} file names are`} required`);
  }
  return { files: positionals, given: values as TraceArguments["given"] };
}

/** The configuration of the daemon whose trace is wanted. */
export function configuredBy({ given }: TraceArguments): DaemonConfig {
  const flags: Values = new Map();
  const host = given.host ?? (given.simulated === true ? undefined : process.env["DOCKER_HOST"]);
  if (host !== undefined && host !== "") flags.set("host", [host]);
  for (const flag of ["data-root", "config-file"] as const) if (given[flag] !== undefined) flags.set(flag, given[flag]);
  if (given.simulated === true) flags.set("simulated", true);
  return daemonConfig(flags);
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  const on = { type: "boolean" } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        host: { ...text, short: "H" },
        "data-root": text,
        "config-file": text,
        until: text,
        share: on,
        simulated: on,
        "any-core": on,
        help: { ...on, short: "h" },
      },
    });
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}
