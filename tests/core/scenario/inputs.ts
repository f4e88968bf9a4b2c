// The lines of a story that are inputs of the core:
//
//   request ID METHOD TARGET [BODY | stream | oversized]     lines below, indented: headers, or `auth USER`
//   closed ID client|detached|input-ended|failed             drained ID BYTES
//   exited #CONTAINER RUN [CODE [oom|lost]]                     elapsed OP
//   out-of-memory #CONTAINER RUN KILLS                       reloaded SETTINGS
//   exec-exited #EXEC CODE [OUTPUT][…]
//   done OP · launched OP [NANOSECONDS ahead] · size OP N · names OP WORD… · token OP [TEXT] · bytes OP DOCUMENT · resolved OP DOCUMENT
//   ingested OP PATH:SIZE… · committed OP LAYER [empty] · ps OP PIDS LINES · sample OP [NAME=NUMBER…]
//   sent OP DIGEST [COMPRESSION]
//   own-process OP DESCRIPTORS TASKS
//   stat OP KIND PLACE [ro] · changed OP KIND:PATH…
//   failed OP FAILURE (tests/support/failures/failure-text.ts) · progress OP PHASE CURRENT TOTAL

import type { Input, Outcome, engine, types } from "../../../hosts/shared/host.js";
import { failureFrom } from "../../support/failures/failure-text.js";
import { OPTIONS } from "../support/fixtures.js";
import { digestOf, encode } from "../support/image-world.js";
import { sampleOf } from "../support/samples.js";

/** What a line may refer to. */
export interface Glossary {
  operation: (name: string) => bigint;
  unnamed: (text: string) => string;
  /** `config:app`, `manifest:app`, or the text itself. */
  document: (text: string) => Uint8Array;
  /** Digest of a layer's tar by its name. */
  diffId: (layer: string) => string;
  now: types.Instant;
}

const PASSWORD = "correct horse";

export function inputOf(line: string, indented: string[], glossary: Glossary): Input {
  const [word = "", first = "", ...rest] = line.split(" ");
  if (word === "request") return { tag: "request", val: request(first, rest, indented, glossary) };
  if (word === "closed") return { tag: "closed", val: { request: BigInt(first), why: rest[0] as engine.Closing } };
  if (word === "log-broken")
    return {
      tag: "source-failed",
      val: { request: BigInt(first), why: failureFrom(rest.slice(1)), begun: logForm(rest[0]!) },
    };
  if (word === "source-failed") return { tag: word, val: { request: BigInt(first), why: failureFrom(rest) } };
  if (word === "drained") return { tag: "drained", val: { request: BigInt(first), bytes: Number(rest[0]) } };
  if (word === "reloaded") return { tag: "reloaded", val: { ...OPTIONS, ...JSON.parse([first, ...rest].join(" ")) } };
  if (word === "exec-exited") return { tag: "exec-exited", val: execExited(glossary.unnamed(first), rest, glossary) };
  if (word === "exited") return { tag: "exited", val: exited(glossary.unnamed(first), rest, glossary) };
  if (word === "out-of-memory") return { tag: word, val: memoryKill(glossary.unnamed(first), rest) };
  const op = glossary.operation(first);
  if (word === "elapsed") return { tag: "elapsed", val: op };
  if (word === "progress") return { tag: "progress", val: progress(op, rest) };
  if (word === "failed") {
    const words = rest.map((one) => (/^#\d+$/.test(one) ? glossary.unnamed(one) : one));
    return { tag: "completed", val: { op, outcome: { tag: "err", val: failureFrom(words) } } };
  }
  return { tag: "completed", val: { op, outcome: { tag: "ok", val: outcome(word, rest, glossary) } } };
}

function memoryKill(container: string, [run, kills]: string[]): engine.MemoryKill {
  return { container, run: Number(run), kills: Number(kills) };
}

/** `how`: `oom`, `lost` or nothing. */
export function exitOf(code: string | undefined, how: string | undefined, at: bigint): types.Exit {
  return { code: Number(code ?? "0"), outOfMemory: how === "oom", lost: how === "lost", at };
}

/** The host's finding about an exec: one with a code has ended. */
export function foundExec([exec = "", container = "", run, code]: string[], at: bigint): engine.FoundExec {
  const exit = code === undefined ? {} : { exit: exitOf(code, undefined, at) };
  return { exec, subject: { container, run: Number(run) }, running: code === undefined, ...exit };
}

/** No output text of a story may contain this. */
export function isSecret(text: string): boolean {
  return text.includes(PASSWORD);
}

function request(id: string, [method = "", target = "", ...body]: string[], indented: string[], glossary: Glossary) {
  const text = glossary.unnamed(body.join(" "));
  const headers = indented.map((line) => headerOf(line.trim()));
  const typed = headers.some((line) => line.startsWith("Content-Type"));
  if (text !== "" && text !== "stream" && text !== "oversized" && !typed)
    headers.push("Content-Type: application/json");
  const request: engine.Request = {
    id: BigInt(id),
    listener: "unix:///test.sock",
    method,
    target: glossary.unnamed(target),
    headers: headers.join("\n"),
    body: bodyOf(text),
  };
  return request;
}

function headerOf(line: string): string {
  if (!line.startsWith("auth ")) return line;
  const auth = JSON.stringify({ username: line.slice("auth ".length), password: PASSWORD });
  // Clients pad it, and Docker requires it.
  return `X-Registry-Auth: ${Buffer.from(auth).toString("base64").replaceAll("+", "-").replaceAll("/", "_")}`;
}

function bodyOf(text: string): engine.Body {
  if (text === "") return { tag: "none" };
  if (text === "stream" || text === "oversized") return { tag: text };
  return { tag: "whole", val: encode(text.replace("PASSWORD", PASSWORD)) };
}

function exited(container: string, [run, code, how]: string[], { now }: Glossary): engine.Exited {
  return { container, run: Number(run), exit: exitOf(code, how, now.wall) };
}

/** After the code comes the beginning of its output; `…` at the end means that there was more. */
function execExited(exec: string, [code, ...words]: string[], { now }: Glossary): engine.ExecExited {
  const text = words.join(" ");
  const truncated = text.endsWith("…");
  const output = encode(truncated ? text.slice(0, -1) : text);
  return { exec, exit: exitOf(code, undefined, now.wall), output, truncated };
}

function progress(op: bigint, [phase, current, total]: string[]): engine.Progress {
  return { op, phase: phase as engine.Phase, current: BigInt(current ?? 0), total: BigInt(total ?? 0) };
}

/** `raw`, `framed`, `objects` or `sequence`. */
function logForm(word: string): engine.LogForm {
  const separated = word === "sequence";
  return { framed: word === "framed", objects: separated || word === "objects", separated };
}

function outcome(word: string, rest: string[], glossary: Glossary): Outcome {
  const text = rest.join(" ");
  switch (word) {
    case "done":
      return { tag: "done" };
    case "launched":
      return { tag: "launched", val: { pid: 77, at: glossary.now.wall + BigInt(rest[0] ?? 0) } };
    case "size":
      return { tag: "size", val: BigInt(text) };
    case "names":
      return { tag: "names", val: rest };
    case "token":
      return { tag: "token", val: text };
    case "bytes":
      return { tag: "bytes", val: glossary.document(text) };
    case "text":
      return { tag: "bytes", val: encode(rest.join(" ").replaceAll(" / ", "\n")) };
    case "resolved": {
      const bytes = glossary.document(text);
      return { tag: "resolved", val: { bytes, mediaType: "", digest: digestOf(bytes) } };
    }
    case "ingested":
      return { tag: "ingested", val: rest.map((file) => archivedFile(glossary.unnamed(file))) };
    case "sample":
      return {
        tag: "sample",
        val: sampleOf(
          glossary.now.wall,
          rest.filter((one) => one !== ""),
        ),
      };
    case "ps":
      return { tag: "ps", val: psOutput(rest) };
    case "own-process":
      return { tag: "own-process", val: { descriptors: Number(rest[0]), tasks: Number(rest[1]) } };
    case "stat":
      return { tag: "stat", val: fileStat(rest) };
    case "changed":
      return { tag: "changed", val: rest.map(changed) };
    case "sent": {
      const compression = (rest[1] ?? "gzip") as engine.BlobCompression;
      return { tag: "sent", val: { digest: glossary.unnamed(rest[0] ?? ""), size: 1000n, compression } };
    }
    case "received":
      return { tag: "received", val: glossary.diffId(rest[0] ?? "") };
    case "committed":
      return { tag: "committed", val: committed(rest, glossary) };
    default:
      throw new Error(`no such input: ${word}`);
  }
}

/** Lines are separated by slashes, as those of a `text`. */
function psOutput([pids = "", ...words]: string[]): engine.PsOutput {
  return { text: encode(words.join(" ").replaceAll(" / ", "\n")), pids: Uint32Array.from(pids.split(","), Number) };
}

function archivedFile(file: string): engine.ArchivedFile {
  const colon = file.lastIndexOf(":");
  return { path: file.slice(0, colon), size: BigInt(file.slice(colon + 1)) };
}

function fileStat([kind = "", place = "", access]: string[]): engine.FileStat {
  const mode = { file: 0o100640, directory: 0o041777, link: 0o120777 }[kind];
  if (mode === undefined) throw new Error(`no such file: ${kind}`);
  const linkTarget = kind === "link" ? "/etc/hosts" : "";
  const modified = 1_767_225_600_500_000_000n;
  return { name: "file", size: 12n, mode, modified, linkTarget, place, readOnly: access === "ro" };
}

function changed(text: string): engine.Changed {
  const [kind = "", path = ""] = text.split(":");
  return { kind: kind as engine.ChangeKind, path };
}

function committed([layer = "", empty]: string[], glossary: Glossary): engine.Committed {
  return { diffId: glossary.diffId(layer), size: 10n, empty: empty === "empty" };
}
