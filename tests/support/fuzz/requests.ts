// Requests that nobody should send: every route of the core's table, with parameters that fit the API description and
// some that do not.
import fc from "fast-check";
import { routes, type Route } from "../routes.js";
import { anyText, hostileJson, hostileText, jsonText } from "./hostile.js";
import { SchemaValues, type Pools, type Schema } from "./schema.js";

/** How the bytes of a request are sent. All but `whole`, `chunked` and `pieces` break HTTP. */
export type Wire = "whole" | "pieces" | "chunked" | "cut-off" | "too-long" | "bad-chunks" | "twice-framed";

export interface FuzzRequest {
  readonly method: string;
  /** `$running` and other names with `$` are replaced by existing objects when the request is sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly wire: Wire;
  /** Whether to start the container that it creates. */
  readonly starts: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly schema?: Schema;
}

export interface Description {
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>;
}

const CONTAINERS = ["$running", "$created", "$exited"];

const NAMES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/containers\//, CONTAINERS],
  [/^\/exec\//, ["$exec"]],
  [/^\/images\//, ["busybox", "busybox:latest", "docker.io/library/busybox"]],
  [/^\/networks\//, ["bridge", "host", "none"]],
  [/^\/volumes\//, ["fuzzed"]],
];

/** Sources of binds are below the engine's own directory, and the registry addresses have no listener. */
const POOLS: Pools = new Map<string, readonly unknown[]>(
  Object.entries({
    Image: ["busybox", "busybox:latest", "nothing:here"],
    Cmd: ["true", "sleep", "1", "sh", "-c"],
    Entrypoint: ["true", "sh"],
    User: ["root", "0:0", "nobody", "nobody:nogroup", "1000"],
    WorkingDir: ["/", "/tmp", "/a/b", ""],
    Env: ["A=1", "A", "=", "PATH=/bin"],
    Binds: ["$root/bind:/bind", "$root/bind:/bind:ro,z", "fuzzed:/v", "fuzzed:/v:nocopy", "fuzzed:/", "$root/no"],
    Source: ["$root/bind", "$root/missing", "fuzzed", ""],
    Target: ["/mnt", "/", "mnt", "/proc", "/mnt/../.."],
    PathOnHost: ["/dev/null", "/dev/nothing", "/dev"],
    Path: ["/dev/null", "/dev/nothing", ""],
    Sysctls: ["0", "1", "nonsense"],
    NetworkMode: ["none", "bridge", "host", "default", "container:$running", "container:nothing", "elsewhere"],
    PidMode: ["", "container:$running", "container:$created", "nonsense"],
    IpcMode: ["", "none", "private", "shareable", "container:$running", "nonsense"],
    UTSMode: ["", "nonsense"],
    VolumesFrom: ["$created", "$running:ro", "nothing"],
    CapAdd: ["ALL", "NET_ADMIN", "CAP_NONSENSE"],
    CapDrop: ["ALL", "CHOWN", ""],
    SecurityOpt: ["no-new-privileges", "seccomp=unconfined", "label=disable", "nonsense"],
    RestartPolicy: ["always"],
    StopSignal: ["SIGKILL", "KILL", "9", "SIGNONSENSE", "99"],
    fromImage: ["127.0.0.1:1/nothing", "127.0.0.1:1/nothing@sha256:0", "127.0.0.1:1/nothing:b:c", "UPPER", "a b", ""],
    name: ["fuzz-a", "fuzz-b", "fuzz-running", "busybox", "bridge"],
    platform: ["linux", "linux/amd64", "", "nonsense/", '{"os":"linux"}'],
    serveraddress: ["127.0.0.1:1", "http://127.0.0.1:1/v1/"],
    container: [...CONTAINERS, "nothing"],
    path: ["/", "/etc", "/etc/passwd", "/etc/../..", "/bin/sh", "/nothing", "/dev", "/proc/self", ""],
    signal: ["TERM", "SIGHUP", "9", "0", "64", "65", "-9", "NONSENSE"],
    version: ["1.24", "1.25", "1.40", "1.41", "1.42", "1.43", "1.44", "1.47", "1.49", "1.51", "1.52", "1.55"],
    ps_args: ["aux", "-eo pid,comm", "-o pid", "-eo", "--nonsense"],
    filters: [
      "label",
      "name",
      "id",
      "status",
      "until",
      "type",
      "event",
      "reference",
      "before",
      "since",
      "volume",
      "image",
    ],
  }),
);

/** Headers that the core or the HTTP server reads. */
const HEADERS = [
  "X-Registry-Auth",
  "X-Registry-Config",
  "Content-Type",
  "Accept",
  "Accept-Encoding",
  "Upgrade",
  "Connection",
  "Expect",
  "Range",
  "If-None-Match",
  "Sec-WebSocket-Key",
  "Sec-WebSocket-Version",
  "Sec-WebSocket-Protocol",
];

const HEADER_VALUES = ["tcp", "websocket", "Upgrade", "close", "application/json", "application/x-tar", "gzip", "13"];

export function fuzzRequests(description: Description): fc.Arbitrary<FuzzRequest> {
  const values = new SchemaValues(description.definitions, POOLS);
  return fc.oneof(
    ...routes().map((route) => ({ weight: weightOf(route), arbitrary: requestsOf(route, description, values) })),
  );
}

/**
 * Implemented routes get more requests than those that only answer “not implemented”, and routes that read more input
 * get the most.
 */
function weightOf({ handler, path, source }: Route): number {
  if (handler === "later" || handler === "experimental" || source === "swarm/outside.ts") return 1;
  return path === "/containers/create" ? 40 : 5;
}

function requestsOf(route: Route, description: Description, values: SchemaValues): fc.Arbitrary<FuzzRequest> {
  const parameters = parametersOf(route, description);
  const schema = parameters.find((one) => one.in === "body")?.schema;
  const queried = parameters.filter((one) => one.in === "query").map((one) => one.name);
  const sendsBody = route.method === "POST" || route.method === "PUT";
  return fc
    .record({
      path: pathOf(route),
      version: versionOf(route),
      query: fc.array(parameterOf(queried), { maxLength: 4 }),
      headers: rarely(fc.dictionary(fc.constantFrom(...HEADERS), headerValue, { maxKeys: 2 }), {}),
      body: sendsBody ? bodyOf(schema, values, route.path) : fc.constant(null),
      wire: fc.oneof({ weight: 9, arbitrary: fc.constant<Wire>("whole") }, { weight: 1, arbitrary: WIRES }),
      starts: fc.boolean(),
    })
    .map(({ path, version, query, headers, body, wire, starts }) => {
      const target = `${version}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
      const type = body === null ? {} : { "Content-Type": "application/json" };
      return { method: route.method, target, headers: { ...type, ...headers }, body, wire, starts };
    });
}

const WIRES = fc.constantFrom<Wire>("pieces", "chunked", "cut-off", "too-long", "bad-chunks", "twice-framed");

function parametersOf(route: Route, { paths }: Description): readonly Parameter[] {
  for (const [path, methods] of Object.entries(paths)) {
    if (path.replace(/\{[^}]+\}/g, "*") === route.path) return methods[route.method.toLowerCase()]?.parameters ?? [];
  }
  return [];
}

function pathOf({ path }: Route): fc.Arbitrary<string> {
  const known = NAMES.find(([prefix]) => prefix.test(path))?.[1] ?? ["nothing"];
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: hostileText.map((text) => encode(text) || "%20") },
  );
  const stars = path.split("*").length - 1;
  return fc.array(name, { minLength: stars, maxLength: stars }).map((names) => {
    let at = 0;
    return path.replaceAll("*", () => names[at++] ?? "");
  });
}

function versionOf({ since }: Route): fc.Arbitrary<string> {
  const minor = fc.integer({ min: Math.min(since, 55), max: 55 }).map((at) => `/v1.${at}`);
  const odd = fc.constantFrom("", "/v1.23", "/v1.56", "/v2.0", "/v1", "/v1.", "/v1.41.1", "/v99999999999.1", "//v1.41");
  return fc.oneof({ weight: 15, arbitrary: minor }, { weight: 1, arbitrary: odd });
}

function parameterOf(names: readonly string[]): fc.Arbitrary<string> {
  const known = names.length > 0 ? fc.constantFrom(...names) : hostileText;
  const name = fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: hostileText });
  return name.chain((key) => valueOf(key).map((value) => `${encode(key)}=${encode(value)}`));
}

function valueOf(name: string): fc.Arbitrary<string> {
  if (name === "filters") return fc.oneof(filters, hostileText);
  const pool = POOLS.get(name);
  // Other registries are never used, because hostile values could name any host.
  if (name === "fromImage" || name === "fromSrc" || name === "remote") {
    return fc.constantFrom(...((POOLS.get("fromImage") ?? []) as readonly string[]));
  }
  const plain = fc.constantFrom("1", "0", "true", "false", "10", "");
  if (pool === undefined) return fc.oneof(plain, hostileText);
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...(pool as readonly string[])) }, hostileText);
}

const filters = fc
  .dictionary(
    fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...(POOLS.get("filters") as readonly string[])) }, hostileText),
    fc.oneof(
      fc.array(hostileText, { maxLength: 2 }),
      fc.dictionary(hostileText, fc.boolean(), { maxKeys: 2 }),
      hostileJson,
    ),
    { maxKeys: 3 },
  )
  .map(jsonText);

/** A header holds bytes without line breaks. */
const headerValue = fc.oneof(
  fc.constantFrom(...HEADER_VALUES),
  hostileText.map((text) => Buffer.from(text).toString("base64url").slice(0, 4000)),
  hostileText.map((text) => encode(text).slice(0, 4000)),
);

function bodyOf(schema: Schema | undefined, values: SchemaValues, path: string): fc.Arbitrary<string | null> {
  const described = values.of(schema ?? {}).map((value) => jsonText(basedOn(path, value)));
  const cut = described.chain((text) => fc.nat(Math.max(0, text.length - 2)).map((end) => text.slice(0, end + 1)));
  const binary = anyText({ minLength: 1 });
  // Without a registry name, Docker's registry would be used.
  if (path === "/auth") return fc.oneof(described, cut, binary);
  return fc.oneof(
    { weight: schema === undefined ? 1 : 20, arbitrary: described },
    { weight: schema === undefined ? 10 : 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: hostileJson.map(jsonText) },
    { weight: 1, arbitrary: binary },
  );
}

/** Without an image or a command, a request fails at the first check. */
function basedOn(path: string, value: unknown): unknown {
  if (path === "/auth") return { ...(isObject(value) ? value : {}), serveraddress: registryOf(value) };
  if (!isObject(value)) return value;
  if (path === "/containers/create") return { Image: "busybox", Cmd: ["true"], ...value };
  if (path === "/containers/*/exec") return { Cmd: ["true"], ...value };
  return value;
}

/** A registry with no listener, or something that is no text. */
function registryOf(value: unknown): unknown {
  const registries = POOLS.get("serveraddress") ?? [];
  const asked = isObject(value) ? value["serveraddress"] : null;
  const isMeant = registries.includes(asked) || (asked !== null && typeof asked === "object");
  return isMeant ? asked : registries[0];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function rarely<T>(arbitrary: fc.Arbitrary<T>, else_: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(else_) }, { weight: 1, arbitrary });
}

/** Percent-encoded, including lone surrogates. `$` stays, for the names that are replaced. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll("%24", "$");
}
