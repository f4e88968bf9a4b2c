// `npm start`: set-up, then the daemon in this process. Flags go to the daemon.

import { createRequire } from "node:module";
import { prepare } from "./setup.mjs";
import { installMissingPackages } from "./setup/machine.mjs";

const args = process.argv.slice(2);
// A simulated engine needs nothing of the system, and nor does one that only tells something.
const HARMLESS = ["--help", "-h", "--version", "-v", "--simulated"];
const needsNothing = args.some((arg) => HARMLESS.includes(arg.split("=")[0]));

// The first build takes a minute: whoever may not start it is told before.
if (!needsNothing && process.getuid?.() !== 0) {
  console.error("coracle: the daemon must be run as root");
  console.error("To try it without, pretending to run containers: npm start -- --simulated");
  process.exit(1);
}
prepare();
if (!needsNothing && !installMissingPackages()) process.exit(1);
const { loadBundle } = createRequire(import.meta.url)("./bundle.cjs");
await loadBundle().exports.main(["daemon", ...args]);
