// Failures that scenarios and stories write as text mean what they say, and only names of the WIT are accepted.

import { expect, test } from "vitest";
import type { failures } from "../../../hosts/shared/host.js";
import { failureFrom } from "../../support/failures/failure-text.js";

const READ: readonly [string, failures.Failure][] = [
  ["interrupted given-up", { tag: "interrupted", val: "given-up" }],
  ["internal it cannot be frozen", { tag: "internal", val: "it cannot be frozen" }],
  ["no-such process", { tag: "no-such", val: { what: "process", name: "" } }],
  ["too-large tool ps 16777216", { tag: "too-large", val: { what: "tool", name: "ps", limit: 16777216n } }],
  ["call  /x EIO", { tag: "call", val: { call: "", path: "/x", error: "EIO", inside: false } }],
  ["call mount /x ENOTDIR inside", { tag: "call", val: { call: "mount", path: "/x", error: "ENOTDIR", inside: true } }],
  ["unmoved end 7 8", { tag: "unmoved", val: { what: "end", pids: Uint32Array.of(7, 8) } }],
  ["runtime sh / it says no", { tag: "runtime", val: { program: "sh", directory: "/", said: "it says no" } }],
  [
    "start-broke supervisor-ended its words",
    { tag: "start-broke", val: { how: "supervisor-ended", error: "", said: "its words" } },
  ],
  ["start-broke process-ended ENXIO", { tag: "start-broke", val: { how: "process-ended", error: "ENXIO", said: "" } }],
  ["tool nft 1 some words", { tag: "tool", val: { name: "nft", exit: 1, said: "some words" } }],
  ["tool ps killed", { tag: "tool", val: { name: "ps", said: "" } }],
  [
    "exchange https://r/ timeout",
    { tag: "exchange", val: { method: "GET", url: "https://r/", answered: false, why: { tag: "timeout" } } },
  ],
  [
    "exchange https://r/ certificate-names a b",
    {
      tag: "exchange",
      val: { method: "GET", url: "https://r/", answered: false, why: { tag: "certificate-names", val: ["a", "b"] } },
    },
  ],
  [
    "exchange https://r/ redirects 10",
    { tag: "exchange", val: { method: "GET", url: "https://r/", answered: true, why: { tag: "redirects", val: 10 } } },
  ],
  [
    "exchange https://r/ call read r:443 EIO",
    {
      tag: "exchange",
      val: {
        method: "GET",
        url: "https://r/",
        answered: false,
        why: { tag: "call", val: { call: "read", path: "r:443", error: "EIO", inside: false } },
      },
    },
  ],
];

test.each(READ)("%s", (text, failure) => {
  expect(failureFrom(text.split(" "))).toEqual(failure);
});

test("what the text omits is filled in", () => {
  const omitted = { text: "some", number: 4 };
  expect(failureFrom(["too-large", "blob"], omitted)).toEqual({
    tag: "too-large",
    val: { what: "blob", name: "some", limit: 4n },
  });
  expect(failureFrom(["internal"], omitted)).toEqual({ tag: "internal", val: "some" });
});

test.each(["no-suhc user zoe", "no-such usre zoe", "interrupted given-up twice", "exchange https://r/ tiemout"])(
  "refused: %s",
  (text) => {
    expect(() => failureFrom(text.split(" "))).toThrow(/is none of|too many words/);
  },
);
