// Selects the test files that share processes and run one after the other. Starting a process and loading the common
// modules takes a third of a second per file. These files use only the core and memory. A file that starts servers,
// mocks shared functions, or inspects its environment or its open files runs in its own process: kept-alive
// connections, for example, outlive a file, and the next file may use the same port.

export const ALL: readonly string[] = ["tests/**/*.test.ts", "core/bindgen/*.test.ts"];

export const SHARED: readonly string[] = ["core", "driver", "simulated", "streams"].map(
  (folder) => `tests/${folder}/**/*.test.ts`,
);
