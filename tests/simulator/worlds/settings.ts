// The settings that an engine reloads while it runs, by number, so that each differs from the one before.

import type { engine } from "../../../hosts/shared/host.js";
import { ociRuntimesOf } from "../../../hosts/engine/oci-runtimes.js";
import type { SimulatedHost } from "../../../hosts/simulated/options.js";

/** An additional OCI runtime. Settings that offer it make it the default. */
const OTHER = "other";

/** Makes the settings. From now on the machine has the runtimes that they name. */
export function settingsOf(number: number, machine: SimulatedHost): engine.Settings {
  const offersOther = number % 3 === 0;
  machine.offer(offersOther ? [OTHER] : []);
  const runtimes = ociRuntimesOf(machine);
  return {
    debug: number % 2 === 1,
    insecureRegistries: [`10.${number % 256}.0.0/16`],
    registryMirrors: number % 4 === 0 ? ["https://mirror.example/"] : [],
    labels: [`settings=${number}`],
    runtimes,
    defaultRuntime: offersOther ? OTHER : (runtimes[0]?.name ?? ""),
  };
}
