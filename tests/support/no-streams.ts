// The client streams that a test does not need.

import type { Stdio } from "../../hosts/shared/host.js";

function none(): never {
  throw new Error("this test has no such stream");
}

export const NO_STREAMS: Pick<Stdio, "exec" | "archive" | "export" | "saved"> = {
  exec: async () => none(),
  archive: none,
  export: none,
  saved: none,
};

/** Default fields of a launch. */
export const PLAIN_LAUNCH = {
  groups: [],
  files: [],
  publicServers: [],
  directories: [],
  closed: [],
  tty: false,
  rows: 0,
  columns: 0,
  openStdin: false,
  stdinOnce: false,
  devices: [],
  allDevices: false,
  rates: [],
  shmSize: 0n,
  variables: [],
  log: { fileBytes: 0n, files: 1, compressed: false, passing: false },
};
