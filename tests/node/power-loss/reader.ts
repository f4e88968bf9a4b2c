// Prints what it finds in a DIRECTORY, or crashes.
import { writeSync } from "node:fs";
import { foundIn } from "./found.js";

writeSync(1, await foundIn(process.argv[2] ?? ""));
