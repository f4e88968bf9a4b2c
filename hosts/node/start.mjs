// `npm start`: set-up, then the daemon in this process. Flags go to the daemon.

import { BUNDLE, prepare } from "./setup.mjs";
import { installMissingPackages } from "./setup/machine.mjs";

const args = process.argv.slice(2);
// A simulated engine needs nothing of the system, and nor does one that only tells something.
const needsNothing = ["--help", "-h", "--version", "-v", "--simulated"].some((flag) => args.includes(flag));

prepare();
if (!needsNothing && !installMissingPackages()) process.exit(1);
const { main } = await import(BUNDLE);
await main(["daemon", ...args]);
