// docker-init: the first process of a container. It starts the program, forwards signals to it and exits with its code
// (like tini).

import { NoProgram, type Program } from "../../program.js";

/** Linux signals that it forwards: all that can be caught, except those about the init process itself. */
const SIGCHLD = 17;
const LAST_SIGNAL = 64;
const UNCATCHABLE = [9, 19];

export const init: Program = async (process) => {
  const separator = process.argv.indexOf("--");
  const argv = process.argv.slice(separator < 0 ? 1 : separator + 1);
  try {
    const child = process.spawn({ argv });
    const passed = Array.from({ length: LAST_SIGNAL }, (_, index) => index + 1).filter(
      (signal) => signal !== SIGCHLD && !UNCATCHABLE.includes(signal),
    );
    process.onSignal(passed, (signal) => child.signal(signal));
    return await child.exited;
  } catch (error) {
    if (!(error instanceof NoProgram)) throw error;
    await process.stderr.write(`[FATAL tini (7)] exec ${error.command} failed: ${error.reason}\n`);
    return error.found ? 126 : 127;
  }
};
