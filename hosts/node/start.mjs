// `npm start`: set-up, then the daemon in this process. Flags are passed to the daemon.

import { createRequire } from "node:module";
import { prepare } from "./setup.mjs";
import { installMissingPackages } from "./setup/machine.mjs";

const args = process.argv.slice(2);
// A simulated engine needs nothing from the system, and neither do flags that only print something.
const HARMLESS = ["--help", "-h", "--version", "-v", "--simulated"];
const needsNothing = args.some((arg) => HARMLESS.includes(arg.split("=")[0]));

// The first build takes a minute, so a user who may not start the daemon is told before it.
if (!needsNothing && process.getuid?.() !== 0) {
  console.error("coracle: the daemon must be run as root");
  console.error("To try it without root, with simulated containers: npm start -- --simulated");
  process.exit(1);
}
prepare();
if (!needsNothing && !installMissingPackages()) process.exit(1);
const { loadBundle } = createRequire(import.meta.url)("./bundle.cjs");
await loadBundle().exports.main(["daemon", ...args]);
