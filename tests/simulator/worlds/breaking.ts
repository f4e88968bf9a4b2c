// Breaks sources of replies, before their first bytes or after them.

import { HostFailure } from "../../../hosts/shared/failure.js";
import type { Stdio } from "../../../hosts/shared/host.js";
import type { Coming } from "./coming.js";
import type { Trick } from "./trick.js";

/** `trick`: the trick for the next source. `coming`: execs that are not there yet. */
export function breaking(stdio: Stdio, trick: () => Trick["how"] | undefined, coming: Coming): Stdio {
  const mayBreak = (bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => broken(bytes, trick());
  return {
    log: (container) => stdio.log(container),
    stdin: (container, run) => stdio.stdin(container, run),
    exec: async (exec) => {
      await coming.known(exec);
      return stdio.exec(exec);
    },
    archive: (source) => mayBreak(stdio.archive(source)),
    export: (source) => mayBreak(stdio.export(source)),
    saved: (members) => mayBreak(stdio.saved(members)),
  };
}

async function* broken(bytes: AsyncIterable<Uint8Array>, how: Trick["how"] | undefined): AsyncGenerator<Uint8Array> {
  if (how === "fail") throw unreadable();
  for await (const piece of bytes) {
    yield piece;
    if (how === "fail-late") throw unreadable();
  }
}

function unreadable(): HostFailure {
  return new HostFailure({ tag: "call", val: { call: "read", path: "", inside: false, error: "EIO" } });
}
