// Keeps apart what the compiler's optimizer would put together: the function that visits the references of any object
// would contain what visits those of each class. The collector calls it for each object, so V8 finds it hot at once and
// compiles it again for speed, in every process that opens a core. With all classes in it, that takes 40 ms of processor
// time and 8 MB of memory instead of 18 ms and 3.5 MB.

import binaryen from "assemblyscript/binaryen";
import type { Onlooker } from "./classes.js";

/** The functions that visit the references of an object of one class. */
const OF_A_CLASS = "*~visit";

export const VISITS_APART: Onlooker = {
  afterCompile(module: binaryen.Module): void {
    binaryen.setPassArgument("no-inline", OF_A_CLASS);
    module.runPasses(["no-inline"]);
  },
};
