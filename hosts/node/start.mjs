// `npm start`: set-up, then the daemon in this process. Flags go to the daemon.

import { BUNDLE, prepare } from "./setup.mjs";
import { installMissingPackages } from "./setup/machine.mjs";

const args = process.argv.slice(2);
const onlyTells = ["--help", "-h", "--version", "-v"].some((flag) => args.includes(flag));

prepare();
if (!onlyTells && !installMissingPackages()) process.exit(1);
const { main } = await import(BUNDLE);
await main(["daemon", ...args]);
