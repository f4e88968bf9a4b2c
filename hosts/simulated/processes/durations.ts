// How long operations take on the simulated machine, in nanoseconds.

/** Time that an OCI runtime takes to create and start a container. The end of a process is reported a little later. */
export const LAUNCH_NS = 20_000_000n;
export const LAUNCH_SPREAD_NS = 10_000_000;
/** An exec needs less preparation. */
export const EXEC_NS = 8_000_000n;
export const EXEC_SPREAD_NS = 4_000_000;
export const EXIT_NS = 1_000_000n;
export const SIGNAL_NS = 300_000n;
/** Delay between a start and a fault that strikes it. */
export const STRIKE_NS = 5_000_000n;
