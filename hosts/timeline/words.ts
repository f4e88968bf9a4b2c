// Describes steps in words: their inputs, effects and replies.

import { failureText } from "../shared/index.js";
import type { Effect, Input, Reply, engine, replies, volumes } from "../shared/index.js";
import type { World } from "./world.js";

const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  9: "SIGKILL",
  15: "SIGTERM",
};

/** What is needed to name things: the world, the open operations, and the clients' requests. */
export interface Naming {
  world: World;
  effectOf(op: bigint): Effect | undefined;
  requestOf(id: bigint): string | undefined;
}

/** The input of a step. */
export function causeOf(input: Input, naming: Naming): string {
  switch (input.tag) {
    case "request":
      return `${input.val.method} ${input.val.target}`;
    case "closed":
      return `${requestName(naming, input.val.request)}: ${CLOSINGS[input.val.why]}`;
    case "source-failed":
      return `${requestName(naming, input.val.request)} cannot be ${
        input.val.begun === undefined ? "answered" : "answered to its end"
      }: ${failureText(input.val.why)}`;
    case "completed":
      return `${asked(naming, input.val.op)} ${cameOf(input.val.outcome)}`;
    case "progress":
      return `${asked(naming, input.val.op)}: ${input.val.phase} ${amount(input.val)}`;
    case "exited":
      return `${containerName(naming, input.val.container)} ended with exit code ${input.val.exit.code}${
        input.val.exit.outOfMemory ? " (out of memory)" : ""
      }`;
    case "exec-exited":
      return `exec ${shortId(input.val.exec)} ended with exit code ${input.val.exit.code}`;
    case "out-of-memory":
      return `a process of ${containerName(naming, input.val.container)} was killed for memory`;
    case "reloaded":
      return "the configuration was read again";
    case "elapsed":
      return "a timer ran out";
    case "drained":
      return `${requestName(naming, input.val.request)}: ${input.val.bytes} bytes were read`;
  }
}

/** What the core tells a host to do. */
export function effectWords(effect: Effect, naming: Naming): string {
  switch (effect.to) {
    case "timers":
      return effect.command.tag === "set" ? "set a timer" : "cancel a timer";
    case "processes":
      return processWords(effect.command, naming);
    case "content":
      return contentWords(effect.command, naming);
    case "networks":
      return networkWords(effect.command, naming);
    case "volumes":
      if (effect.command.tag === "populate") return `fill volume ${shortId(effect.command.val.name)}`;
      if (effect.command.tag === "find") return `look for ${effect.command.val} on the machine`;
      return `${effect.command.tag} volume ${shortId(volumeOf(effect.command))}`;
    case "records":
      return "read events of the journal";
  }
}

function volumeOf({ val }: volumes.VolumeCommand): string {
  return typeof val === "string" ? val : val.name;
}

/** What a client is sent; null for parts of a body. */
export function replyWords(reply: Reply, naming: Naming): string | null {
  const to = requestName(naming, reply.request);
  const { command } = reply;
  switch (command.tag) {
    case "whole":
    case "bare":
      return `${command.val.head.status} to ${to}`;
    case "open":
      return `${command.val.status} to ${to}, a body follows`;
    case "hijack":
      return `${command.val.head.status} to ${to}: the connection becomes ${stdioName(command.val.stdio, naming)}'s input and output`;
    case "calls":
      return `${command.val.head.status} to ${to}: the connection carries calls of the ${command.val.caller}`;
    case "splice":
      return `${sourceName(command.val, naming)} flows to ${to}`;
    case "insert":
    case "beside":
      return `the log of ${containerName(naming, command.val.container)} flows to ${to}`;
    case "drain":
      return `the rest of the log of ${containerName(naming, command.val)} flows to ${to}`;
    case "end":
      return `the end to ${to}`;
    case "chunk":
      return null;
  }
}

function stdioName(stdio: replies.Stdio, naming: Naming): string {
  return stdio.tag === "run" ? containerName(naming, stdio.val.container) : `exec ${shortId(stdio.val)}`;
}

function sourceName(source: replies.Source, naming: Naming): string {
  switch (source.tag) {
    case "logs":
      return `the log of ${containerName(naming, source.val.container)}`;
    case "archive":
      return `${source.val.at.path} of ${containerName(naming, source.val.at.view.container)}`;
    case "export":
      return `all files of ${containerName(naming, source.val.container)}`;
    case "saved":
      return "an archive of images";
  }
}

type Command<To extends Effect["to"]> = Extract<Effect, { to: To }>["command"];

function processWords(command: Command<"processes">, naming: Naming): string {
  switch (command.tag) {
    case "signal":
      return `send ${SIGNALS[command.val.number] ?? `signal ${command.val.number}`} to ${containerName(naming, command.val.subject.container)}`;
    case "limit":
      return `change the limits of ${containerName(naming, command.val.subject.container)}`;
    case "rewrite":
      return `rewrite ${command.val.file.name} of ${containerName(naming, command.val.subject.container)}`;
    case "ps":
      return `list the processes of ${containerName(naming, command.val.subject.container)}`;
    case "sample":
      return `read what is counted for ${containerName(naming, command.val.container)}`;
    case "count-own":
      return "count what the engine's own process has open";
    case "identify":
      return `look up user ${command.val.user} in ${containerName(naming, command.val.container)}`;
    case "exec":
      return `start exec ${shortId(command.val.exec)} in ${containerName(naming, command.val.subject.container)}`;
    case "signal-exec":
      return `send ${SIGNALS[command.val.number] ?? `signal ${command.val.number}`} to exec ${shortId(command.val.exec)}`;
    case "resize-exec":
      return `resize the terminal of exec ${shortId(command.val.exec)}`;
    case "reap-exec":
      return `clear up after exec ${shortId(command.val)}`;
    case "resize":
      return `resize the terminal of ${containerName(naming, command.val.subject.container)}`;
    case "reap":
      return `clear up after ${containerName(naming, command.val.container)}`;
    case "launch":
    case "pause":
    case "resume":
      return `${command.tag} ${containerName(naming, command.val.container)}`;
  }
}

function contentWords(command: Command<"content">, naming: Naming): string {
  switch (command.tag) {
    case "resolve":
      return `ask ${command.val.endpoint.authority} for ${command.val.repository}:${command.val.reference}`;
    case "tags":
      return `ask ${command.val.endpoint.authority} for the tags of ${command.val.repository}`;
    case "blob":
      return `fetch blob ${shortId(command.val.digest)}`;
    case "login":
      return `show credentials to ${command.val.endpoint.authority}`;
    case "layer":
      return `fetch and unpack layer ${shortId(command.val.diffId)}`;
    case "search":
      return `search ${command.val.endpoint.authority}`;
    case "blob-of":
      return `look up the blob of layer ${shortId(command.val)}`;
    case "find-credentials":
      return `ask the client for its credentials for ${command.val.registry}`;
    case "hold-secret":
      return `ask the client for its secret ${command.val.id}`;
    case "send-files":
      return `send the files of ${shortId(command.val.container)} to the client`;
    case "send-images":
      return "send an archive of images to the client";
    case "read-document":
      return `read ${shortId(command.val.digest)} from the client's ${command.val.in.name}`;
    case "give-blobs":
      return `put ${command.val.blobs.length} blobs into the client's ${command.val.to.name}`;
    case "forward-agent":
      return `listen for connections to the client's ssh agent ${command.val.id}`;
    case "find-blob":
      return `ask ${command.val.in.endpoint.authority} whether it has blob ${shortId(command.val.digest)}`;
    case "mount-blob":
      return `ask ${command.val.to.endpoint.authority} to take blob ${shortId(command.val.digest)} from ${command.val.source}`;
    case "upload":
      return `send layer ${shortId(command.val.chain)} to ${command.val.to.endpoint.authority}`;
    case "publish":
      return `send a ${command.val.place.tag === "blob" ? "config" : "manifest"} to ${command.val.to.endpoint.authority}`;
    case "mount":
      return `mount the files of ${containerName(naming, command.val.container)}`;
    case "unmount":
      return `unmount the files of ${containerName(naming, command.val)}`;
    case "measure":
      return `measure the files of ${containerName(naming, command.val)}`;
    case "measure-tar":
      return `${command.val.verify ? "verify" : "measure"} the tar of layer ${shortId(command.val.chain)}`;
    case "free-space":
      return "see how much room the disk has";
    case "stat":
      return `look at ${command.val.path} of ${containerName(naming, command.val.view.container)}`;
    case "make-directory":
      return `make directory ${command.val.at.path} of ${containerName(naming, command.val.at.view.container)}`;
    case "read-file":
      return `read ${command.val.at.path} of ${containerName(naming, command.val.at.view.container)}`;
    case "list-files":
      return `look at ${command.val.inside ? "what is in " : ""}${command.val.at.path} of ${containerName(naming, command.val.at.view.container)}`;
    case "choose":
      return `look for ${command.val.patterns.join(", ")} in the files of ${containerName(naming, command.val.from.container)}`;
    case "copy":
      return `copy files into those of ${containerName(naming, command.val.into.container)}`;
    case "download":
      return `fetch ${command.val.source.address} into the files of ${containerName(naming, command.val.into.view.container)}`;
    case "clone":
      return `clone ${command.val.repository.address} into the files of ${containerName(naming, command.val.into.view.container)}`;
    case "compare":
      return `compare the files of ${containerName(naming, command.val.container)} with its image's`;
    case "extract":
      return `unpack an archive into ${command.val.into.path} of ${containerName(naming, command.val.into.view.container)}`;
    case "commit":
      return `keep what ${containerName(naming, command.val.container)} has written as a layer`;
    case "ingest":
      return "take an archive in";
    case "receive": {
      const { source } = command.val;
      return source.tag === "web" ? `fetch a layer from ${source.val.address}` : "take a layer in";
    }
    case "read":
      return `read ${command.val.path} from an archive`;
    case "flush-layers":
      return `flush layers ${command.val.map(shortId).join(", ")}`;
    case "drop-chain":
      return `delete layer ${shortId(command.val)}`;
    case "keep-log":
      return `keep what ${containerName(naming, command.val.container)} has written to its log`;
    case "drop-container":
      return `delete the files and logs of ${containerName(naming, command.val)}`;
    case "drop-archive":
      return "forget an archive";
    case "abandon":
      return `give up: ${asked(naming, command.val)}`;
  }
}

function networkWords(command: Command<"networks">, naming: Naming): string {
  switch (command.tag) {
    case "make":
      return `make network ${command.val.name}`;
    case "make-parent-network":
      return `make network ${command.val.name} on ${command.val.parent}`;
    case "join-parent":
      return `put ${containerName(naming, command.val.container)} on network ${command.val.network.name}`;
    case "drop":
      return `remove network ${shortId(command.val)}`;
    case "join":
      return `put ${containerName(naming, command.val.container)} on network ${command.val.bridge.name}`;
    case "name":
      return `name ${containerName(naming, command.val.container)} on network ${command.val.domain}`;
    case "serve-names":
      return `resolve names in ${containerName(naming, command.val.container)}`;
    case "leave":
      return `take ${containerName(naming, command.val.container)} off network ${shortId(command.val.network)}`;
    case "leave-all":
      return `take ${containerName(naming, command.val)} off its networks`;
    case "routes":
      return "read the machine's routes";
  }
}

const CLOSINGS: Readonly<Record<engine.Closing, string>> = {
  client: "the client is gone",
  detached: "the client detached",
  "input-ended": "the client's input ended",
  "source-ended": "there is no more to send",
  failed: "the stream broke",
};

function cameOf(outcome: engine.Completed["outcome"]): string {
  return outcome.tag === "ok" ? "succeeded" : `failed: ${failureText(outcome.val)}`;
}

function amount(progress: engine.Progress): string {
  return progress.total > 0n ? `${progress.current} of ${progress.total} bytes` : `${progress.current} bytes`;
}

function asked(naming: Naming, op: bigint): string {
  const effect = naming.effectOf(op);
  return effect === undefined ? "a command of before" : effectWords(effect, naming);
}

function requestName(naming: Naming, id: bigint): string {
  return naming.requestOf(id) ?? `request ${id}`;
}

function containerName(naming: Naming, id: string): string {
  return naming.world.containers.find((one) => one.id === id)?.name ?? shortId(id);
}

/** Twelve digits, as Docker shows ids. */
export function shortId(id: string): string {
  return id.replace(/^sha256:/, "").slice(0, 12);
}
