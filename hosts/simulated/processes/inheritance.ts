// What a process inherits from the one that starts it.

import type { Sink, Source } from "./streams.js";
import type { Terminal } from "./terminal.js";

export interface Stdio {
  stdin: Source;
  stdout: Sink;
  stderr: Sink;
}

export interface Inheritance extends Stdio {
  argv: readonly string[];
  env: ReadonlyMap<string, string>;
  cwd: string;
  uid: number;
  gid: number;
  groups: readonly number[];
  umask: number;
  terminal: Terminal | null;
  /** Process group; 0 for a new group. */
  group: number;
  ignored: ReadonlySet<number>;
}
