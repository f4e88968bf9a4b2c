// How long things take on the simulated machine, in nanoseconds.

/** An OCI runtime makes a container and starts it in about that time; the end of a process is known a little later. */
export const LAUNCH_NS = 20_000_000n;
export const LAUNCH_SPREAD_NS = 10_000_000;
/** An exec has less to make. */
export const EXEC_NS = 8_000_000n;
export const EXEC_SPREAD_NS = 4_000_000;
export const EXIT_NS = 1_000_000n;
export const SIGNAL_NS = 300_000n;
/** When faults strike whoever has just been started. */
export const STRIKE_NS = 5_000_000n;
