// The program of `trapping-daemon.ts`: its first argument names the file that says how often an open traps.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { CompiledCore } from "../../hosts/driver/instance.js";
import { Configuration } from "../../hosts/node/config/configuration.js";
import { coreIdentity, loadCore } from "../../hosts/node/core-files.js";
import { runDaemon } from "../../hosts/node/daemon.js";
import { parseFlags } from "../../hosts/node/config/flags.js";

const [openTraps = "", , ...flags] = process.argv.slice(2);
const core = loadCore();

const trapping: CompiledCore = {
  instantiate(imports) {
    const instance = core.instantiate(imports);
    const { engine: real } = instance.exports;
    const step: typeof real.step = (now, input) => {
      if (input.tag === "request" && input.val.target === "/trap") throw new Error("unreachable");
      real.step(now, input);
    };
    const open: typeof real.open = (...of) => {
      if (isToTrap()) throw new Error("unreachable");
      real.open(...of);
    };
    return { ...instance, exports: { ...instance.exports, engine: { ...real, step, open } } };
  },
};

function isToTrap(): boolean {
  const left = existsSync(openTraps) ? Number(readFileSync(openTraps, "utf8")) : 0;
  if (left > 0) writeFileSync(openTraps, String(left - 1));
  return left > 0;
}

try {
  await runDaemon(Configuration.read(parseFlags(flags)), { compiled: trapping, identity: coreIdentity() });
  process.exit(0);
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
