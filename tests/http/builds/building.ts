// A build, and what a client sees of it.

import { rawTar, type RawEntry } from "../../support/archives/tar.js";
import type { Json } from "../../support/engine-client.js";
import type { RunningEngine } from "../../support/engines.js";

export interface Built {
  /** The lines that say what happens in every engine: without ids, and without containers. */
  lines: string[];
  /** What a RUN writes, in one text. */
  text: string;
  error: Json | null;
  /** Of the last stage; empty after an error. */
  id: string;
}

/** Builds a Dockerfile beside these files. */
export async function buildOn(
  engine: RunningEngine,
  dockerfile: string,
  files: RawEntry[] = [],
  query = "",
): Promise<Built> {
  const context = rawTar([{ name: "Dockerfile", body: dockerfile }, ...files]);
  const answer = await engine.must(200, "POST", `/build?${query}`, context);
  return builtOf(answer.text);
}

/** `text`: the stream of a build. */
export function builtOf(text: string): Built {
  const objects = text
    .split("\r\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Json);
  const streamed = objects.map((one) => (one["stream"] as string | undefined) ?? "").join("");
  const plain = streamed.replaceAll("\u001b[91m", "").replaceAll("\u001b[0m", "");
  const lines = plain.split("\n").map((line) => line.replace(/^ ---> /, "").replace(/^(Successfully built) .*/, "$1"));
  const last = objects.findLast((one) => one["aux"] !== undefined)?.["aux"] as { ID: string } | undefined;
  const error = objects.find((one) => one["error"] !== undefined) ?? null;
  return {
    lines: lines.filter((line) => !/^([0-9a-f]{12})?$|^(Running in|Remov)/.test(line)),
    text: streamed,
    error,
    id: error === null ? (last?.ID ?? "") : "",
  };
}
