// A script that answers by target: at once, with a stream, with a log, or not at all.

import type { ImportObject } from "../../build/core/core.js";
import type { Input } from "../../hosts/shared/host.js";
import { answer, put, signal } from "./fake.js";

function stream(imports: ImportObject, input: Input & { tag: "request" }): void {
  const head = { status: 200, headers: "" };
  imports["coracle:engine/replies"].perform(input.val.id, { tag: "open", val: head });
}

function followLogs(imports: ImportObject, input: Input & { tag: "request" }): void {
  stream(imports, input);
  const source = {
    container: "c",
    stdout: true,
    stderr: true,
    framed: true,
    timestamps: false,
    prefix: "",
    since: 0n,
    until: 0n,
  };
  imports["coracle:engine/replies"].perform(input.val.id, {
    tag: "splice",
    val: { tag: "logs", val: { ...source, follow: true, ended: false } },
  });
}

export function script(epochs: number[]) {
  return {
    open: (_imports: ImportObject, options: { epoch: number }) => void epochs.push(options.epoch),
    step: (imports: ImportObject, input: Input) => {
      if (input.tag !== "request") return;
      switch (input.val.target) {
        case "/trap":
          put(imports, "never");
          throw new Error("unreachable");
        case "/wait":
          return stream(imports, { tag: "request", val: input.val });
        case "/logs":
          return followLogs(imports, { tag: "request", val: input.val });
        case "/pending":
          return signal(imports, 7n, "c");
        case "/write":
          put(imports, "key");
          return answer(imports, input.val.id);
        default:
          return answer(imports, input.val.id);
      }
    },
  };
}
