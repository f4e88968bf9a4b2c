// Settings of the builder, which the core reads: the file has them as an object, and some have flags of their own.

import { ConfigError } from "./options.js";
import type { Values } from "./options.js";

/** As JSON; empty without any. Throws `ConfigError`. */
export function builderOf(values: Values): string {
  const given = values.get("builder") as string | undefined;
  const gc = [
    ["enabled", values.get("builder-gc")],
    ["defaultReservedSpace", values.get("builder-gc-reserved-space")],
    ["defaultMaxUsedSpace", values.get("builder-gc-max-used-space")],
    ["defaultMinFreeSpace", values.get("builder-gc-min-free-space")],
  ].filter(([, value]) => value !== undefined);
  if (gc.length === 0) return given ?? "";
  if (given === undefined) return JSON.stringify({ gc: Object.fromEntries(gc) });
  throw new ConfigError(
    '"builder" is given as a whole, so that --builder-gc… are not possible besides: move them into it',
  );
}
