// The verbs of BuildKit's clients: connections that carry calls, sessions, and the calls themselves, in the form in which a
// host passes them on.

import { METHOD, METHODS, SESSION } from "./build-contexts.js";
import { type Heard, type Sent, type Verb, type Visible, ask } from "./verb.js";

/** The header that names the build of a call. */
const BUILD = "buildkit-controlapi-buildid";

export const BUILDER_VERBS: Readonly<Record<string, Verb>> = {
  session: {
    send: ([what = ""]) => upgrade("/session", { [SESSION]: what, [METHOD]: METHODS }),
    goesOn: true,
  },
  "grpc-door": { send: () => upgrade("/grpc", {}), goesOn: true },
  solve: {
    send: ([what = "", ref = "", names = "", isUploaded = "", output = "moby", ...options], visible) => ({
      ...control("Solve", {
        ...wanted(what, ref, names, output, options),
        ...cachesOf(options, visible),
        Frontend: "dockerfile.v0",
        FrontendAttrs: { ...frontendOf(options), ...uploaded(what, isUploaded) },
      }),
      learn: ({ status, body }) => learnCache(status, body, visible),
    }),
  },
  // A client that directs its build: it asks for results, and returns one of them.
  direct: {
    send: ([what = "", ref = "", names = "", output = "moby", ...options]) =>
      control("Solve", wanted(what, ref, names, output, options)),
    goesOn: true,
  },
  "ask-result": {
    send: ([ref = "", ...options], visible) => ({
      ...bridge("Solve", ref, { Frontend: "dockerfile.v0", FrontendOpt: frontendOf(options) }),
      learn: ({ status, body }) => learnResult(ref, status, body, visible),
    }),
  },
  "return-result": { send: ([ref = "", how = "made"], visible) => bridge("Return", ref, returned(ref, how, visible)) },
  "read-result": { send: ([ref = "", FilePath = ""], visible) => asked("ReadFile", ref, { FilePath }, visible) },
  "list-result": { send: ([ref = "", DirPath = ""], visible) => asked("ReadDir", ref, { DirPath }, visible) },
  "describe-result": { send: ([ref = "", Path = ""], visible) => asked("StatFile", ref, { Path }, visible) },
  "image-config": { send: ([ref = "", Ref = ""]) => bridge("ResolveImageConfig", ref, { Ref }) },
  watch: { send: ([ref = ""]) => control("Status", { Ref: ref }), goesOn: true },
  "cache-usage": { send: ([...filter]) => control("DiskUsage", { filter }) },
  "prune-cache": {
    send: ([how = "", ...filter]) =>
      control("Prune", {
        ...{ all: how === "all", keepBytes: how === "some" ? SOME : 0, filter },
        ...(how === "room" && { minFreeSpace: MORE_THAN_ANY_DISK }),
      }),
  },
  "past-builds": { send: ([ref = ""]) => control("ListenBuildHistory", { Ref: ref, EarlyExit: true }) },
  "hear-builds": { send: ([ref = ""]) => control("ListenBuildHistory", { Ref: ref }), goesOn: true },
  "update-build": {
    send: ([ref = "", how = ""]) =>
      control("UpdateBuildHistory", { Ref: ref, Delete: how === "delete", Pinned: how === "pin" }),
  },
};

/** Bytes that a prune leaves. */
const SOME = 1000;
/** Bytes that it cannot make room for. */
const MORE_THAN_ANY_DISK = 2 ** 50;

/** A connection that is to carry calls. */
function upgrade(path: string, headers: Record<string, string>): Sent {
  return { ...ask("POST", path), headers: { ...headers, Connection: "Upgrade", Upgrade: "h2c" } };
}

/** A call of `moby.buildkit.v1.Control`. */
function control(method: string, message: object): Sent {
  const sent = ask("POST", `/grpc/moby.buildkit.v1.Control/${method}`);
  return { ...sent, body: JSON.stringify(message), isCall: true };
}

/** A call of `moby.buildkit.v1.frontend.LLBBridge`, about one build. */
function bridge(method: string, ref: string, message: object): Sent {
  const sent = ask("POST", `/grpc/moby.buildkit.v1.frontend.LLBBridge/${method}`);
  return { ...sent, body: JSON.stringify(message), isCall: true, headers: { [BUILD]: ref } };
}

/** About a file of the build's newest result. */
function asked(method: string, ref: string, about: object, { results }: Visible): Sent {
  return bridge(method, ref, { Ref: results.get(ref) ?? "unknown", ...about });
}

/** The session is named for what is built. `names`: `-` for none. `pushed`: an image, which also goes to its registry. */
function wanted(what: string, ref: string, names: string, output: string, options: readonly string[]): object {
  const attributes = {
    ...(names === "-" ? {} : { name: names }),
    ...(output === "pushed" ? { push: "true" } : {}),
  };
  return {
    ...{ Ref: ref, Session: what, Exporter: output === "pushed" ? "image" : output, ExporterAttrs: attributes },
    ...(options.includes("internal") ? { Internal: true } : {}),
    ...(options.includes("cached-inside") ? { Cache: { Exports: [{ Type: "inline" }] } } : {}),
  };
}

/** In a directory of the client: `cached-outside` puts a cache there, `from-outside` takes the newest one. */
function cachesOf(options: readonly string[], { results }: Visible): object {
  const [Type, digest] = ["local", results.get(CACHE) ?? `sha256:${"0".repeat(64)}`];
  if (options.includes("cached-outside")) {
    return { Cache: { Exports: [{ Type, Attrs: { dest: "/cache", mode: "max" } }] } };
  }
  return options.includes("from-outside") ? { Cache: { Imports: [{ Type, Attrs: { src: "/cache", digest } }] } } : {};
}

/** By this name, the index of the newest cache in the directory is among the results. */
const CACHE = "cache in the directory";

function learnCache(status: number, body: Heard["body"], { results }: Visible): void {
  if (status !== 200) return;
  const { ExporterResponse = {} } = JSON.parse(body ?? "{}") as { ExporterResponse?: Record<string, string> };
  const told = ExporterResponse["cache.manifest"];
  if (told !== undefined) results.set(CACHE, (JSON.parse(told) as { digest: string }).digest);
}

function frontendOf(options: readonly string[]): Record<string, string> {
  return {
    ...(options.includes("uncached") ? { "no-cache": "" } : {}),
    ...(options.includes("asked") ? { requestid: "frontend.outline" } : {}),
  };
}

/** The client has its context as an archive. */
function uploaded(what: string, isUploaded: string): Record<string, string> {
  return isUploaded === "" || isUploaded === "-" ? {} : { context: `http://buildkit-session/${what}` };
}

function learnResult(ref: string, status: number, body: Heard["body"], { results }: Visible): void {
  if (status !== 200) return;
  const { result } = JSON.parse(body ?? "") as { result: { ref: { id: string } } };
  results.set(ref, result.ref.id);
}

/** `failed`: the client gives the build up. `nothing`: it wants no result. */
function returned(ref: string, how: string, { results }: Visible): object {
  if (how === "failed") return { error: { code: 2, message: "the client gave up" } };
  return { result: { ref: { id: how === "nothing" ? "" : (results.get(ref) ?? "unknown") } } };
}
