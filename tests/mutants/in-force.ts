// Runs before a file of tests that tries a mutant (vitest.config.ts).

import { enforce } from "./mutating-hosts.js";

enforce(Number(process.env["MUTANT"]));
