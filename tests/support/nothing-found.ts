// The inventory of a machine on which the host finds nothing.

import type { engine } from "../../hosts/shared/host.js";

export const NOTHING_FOUND: engine.Inventory = {
  processes: [],
  execs: [],
  mounts: [],
  containers: [],
  joins: [],
  sandboxes: [],
  networks: [],
  volumes: [],
  chains: [],
  rests: [],
};
