// The settings that an engine reloads while it runs, by number, so that each differs from the one before.

import type { engine } from "../../../hosts/shared/host.js";
import { ociRuntimesOf } from "../../../hosts/engine/oci-runtimes.js";
import type { SimulatedHost } from "../../../hosts/simulated/options.js";

/** An additional OCI runtime. Settings that offer it make it the default. */
const OTHER = "other";

/** One registry has all that such settings can tell. */
const HOSTS: engine.RegistryHosts[] = [
  {
    registry: "docker.io",
    hosts: [
      {
        ...{ authority: "near.example", security: "verified-tls", pulls: true, resolves: true, pushes: false },
        way: {
          path: "/v2/near",
          authorities: ["/ca.crt"],
          certificates: [{ certificate: "/me.cert", key: "/me.key" }],
          ...{ headers: { file: "/hosts.toml", host: "near.example" }, connectWithin: 5000 },
        },
      },
    ],
  },
];

/** Makes the settings. From now on the machine has the runtimes that they name. */
export function settingsOf(number: number, machine: SimulatedHost): engine.Settings {
  const offersOther = number % 3 === 0;
  machine.offer(offersOther ? [OTHER] : []);
  const runtimes = ociRuntimesOf(machine);
  return {
    debug: number % 2 === 1,
    insecureRegistries: [`10.${number % 256}.0.0/16`],
    registryMirrors: number % 4 === 0 ? ["https://mirror.example/"] : [],
    registryHosts: number % 5 === 0 ? HOSTS : [],
    labels: [`settings=${number}`],
    runtimes,
    defaultRuntime: offersOther ? OTHER : (runtimes[0]?.name ?? ""),
  };
}
