// Says what is found in a DIRECTORY, or dies of it.
import { writeSync } from "node:fs";
import { foundIn } from "./found.js";

writeSync(1, await foundIn(process.argv[2] ?? ""));
