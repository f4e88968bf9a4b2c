// The streams of a dry run. Reads go to the live engine. Input from a client is accepted and discarded.

import { imaginedOnly } from "../shared/index.js";
import type { ExecStdio, LogBytes, Stdin, Stdio, types } from "../shared/index.js";
import type { Imagined } from "./imagined.js";

/** `requireReal` throws for a view into what is only imagined. */
export function dryRunStdio(live: Stdio, imagined: Imagined, requireReal: (view: types.View) => void): Stdio {
  return {
    log: async (container) => (imagined.created.has(container) ? NO_LOG : live.log(container)),
    stdin: () => NOWHERE,
    exec: async () => NOTHING,
    async *archive(source) {
      requireReal(source.at.view);
      yield* live.archive(source);
    },
    // A container that the dry run created has only the files of its image.
    export: (source) => live.export(imagined.created.has(source.container) ? { ...source, container: NOBODY } : source),
    async *saved(members) {
      const isImagined = members.some(({ content }) => content.tag === "layer" && imagined.chains.has(content.val));
      if (isImagined) throw imaginedOnly("layer");
      yield* live.saved(members);
    },
  };
}

/** An id that no container has. */
const NOBODY = "0".repeat(64);

const NOWHERE: Stdin = { write: async () => {}, end: () => {}, release: () => {} };

const NOTHING: ExecStdio = {
  stdin: NOWHERE,
  async *output() {},
  release: () => {},
};

const NO_LOG: LogBytes = {
  size: async () => 0,
  start: async () => 0,
  read: async () => 0,
  watch: () => () => {},
  close: async () => {},
};
