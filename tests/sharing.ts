// Which test files run one after the other in processes that they share: to start a process for a file, and to load in it
// what all need, takes a third of a second. These ask nothing but the core and what stands in memory. Whoever has servers,
// spies on what others use, or looks at its environment or its open files has a process to itself: connections that are
// kept, for one, outlive a file, and its port may be the next one's.

export const ALL: readonly string[] = ["tests/**/*.test.ts", "core/bindgen/*.test.ts"];

export const SHARED: readonly string[] = ["core", "driver", "simulated", "streams"].map(
  (folder) => `tests/${folder}/**/*.test.ts`,
);
