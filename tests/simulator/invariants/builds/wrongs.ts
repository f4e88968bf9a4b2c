// Lists planted errors in builds and pushes, like those of ../../wrongs.ts.

import type { engine } from "../../../../hosts/shared/host.js";
import { SECRET } from "../../clients/build-contexts.js";
import type { Wrong } from "../../planted.js";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Changes the texts of a kind of records, in the core's memory, too. Parsed numbers would lose their last digits. */
function rewriting(kind: string, change: (text: string) => string): Pick<Wrong, "instead" | "recall"> {
  const recall = ({ key, value }: engine.Stored): engine.Stored => {
    return { key, value: key.startsWith(kind) ? encoder.encode(change(decoder.decode(value))) : value };
  };
  return { recall, instead: ({ val }) => [{ tag: "put", val: recall(val as engine.Stored) }] };
}

const failed = (text: string): string => text.replace(/,"total":/, `,"code":2$&`);
const talking = (text: string): string => text.replace(/"frontend":"[^"]*"/, `"frontend":"${SECRET}"`);
/** All steps of a build run the same command. */
const alike = (text: string): string =>
  text.includes('"forBuild":true') ? text.replace(/"Cmd":\[[^\]]*\]/, '"Cmd":["true"]') : text;

const DIGEST = /("Digest":"sha256:)../;

/** Tells another digest than that of what was pushed. */
const elsewhere: Wrong["instead"] = ({ tag, val }) => {
  const text = decoder.decode(val as Uint8Array);
  return [{ tag, val: DIGEST.test(text) ? encoder.encode(text.replace(DIGEST, "$1zz")) : val }];
};

const put = { on: "records", command: "put", each: 1 } as const;

export const BUILD_WRONGS: readonly (Wrong & { found: string; seed?: number })[] = [
  { ...put, ...rewriting("build/", failed), says: "records builds as failed", found: "past-builds", seed: 5 },
  { ...put, ...rewriting("build/", talking), says: "records a secret of a session", found: "remains" },
  {
    ...put,
    ...rewriting("container/", alike),
    says: "gives all steps of a build the same command",
    found: "equal-steps",
    seed: 96,
  },
  {
    ...{ says: "tells another digest of what it pushed", on: "replies", command: "chunk", each: 1 },
    ...{ instead: elsewhere, found: "model", seed: 64 },
  },
];
