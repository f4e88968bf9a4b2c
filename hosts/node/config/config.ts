// The daemon's configuration from flags and file. It is checked before the daemon touches anything.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { builderOf } from "./builder.js";
import { readConfigFile, refused } from "./config-file.js";
import type { engine } from "../../shared/index.js";
import { listenersOf } from "./listeners.js";
import type { Listener } from "./listeners.js";
import { networksOf } from "./networks.js";
import { mirror, proxiesOf } from "./registries.js";
import { registryHosts } from "./registry-hosts.js";
import type { FoundHosts, HostsRemark } from "./registry-hosts.js";
import { simulatedSocket, simulation } from "./simulation.js";
import type { Simulation } from "./simulation.js";
import { ConfigError, DEFAULTS, LOG_DRIVERS, LOG_LEVELS, OPTIONS } from "./options.js";
import type { LogLevel, Values } from "./options.js";

/** A smaller trace would hold hardly more than the start of one segment. */
const LEAST_SIZE = 1024 * 1024;
const LARGEST_DOCUMENT = 64 * 1024 * 1024;
/** As many as Docker allows. */
const MOST_LAYERS = 125;

export interface DaemonConfig {
  /** Those for live requests come first. */
  listeners: Listener[];
  /** The newest API version that is served; null: the newest that the core knows. */
  maxApiVersion: string | null;
  /** Most bytes of a tar after decompression. */
  unpackedLimit: number;
  /** Most bytes of an image's index, manifest or config. */
  documentLimit: number;
  /** Most layers of an image. */
  layerLimit: number;
  /** Group of the sockets, by name or number. Null: `docker`, if that group exists. */
  group: string | null;
  dataRoot: string;
  execRoot: string;
  /** Null: a simulated engine without a pid file. */
  pidFile: string | null;
  insecureRegistries: string[];
  /** Mirrors of the Hub. */
  registryMirrors: string[];
  /** Settings of registries in that directory. */
  registryHosts: engine.RegistryHosts[];
  /** What is in files there and is not used. */
  registryRemarks: HostsRemark[];
  /** Directory with the certificates of registries. */
  registryCerts: string;
  /** SECRET: addresses may contain a password. */
  proxies: engine.Proxies;
  /** The same without user and password. */
  shownProxies: engine.Proxies;
  labels: string[];
  /** Names and paths of runtimes in addition to those that are found. */
  runtimes: Map<string, string>;
  /** Null: the best of those that are found. */
  defaultRuntime: string | null;
  networks: Partial<engine.NetworkOptions>;
  logLevel: LogLevel;
  /** For containers that name no driver. */
  logDriver: string;
  /** Names and values of that driver's options. */
  logOptions: Map<string, string>;
  /** Settings of the builder in JSON; empty without any. */
  builder: string;
  debug: boolean;
  /** Null: containers really run. */
  simulated: Simulation | null;
  /** How many bytes of events are kept. */
  eventsSize: number;
  /** What is recorded; null: nothing. */
  trace: TraceConfig | null;
}

export interface TraceConfig {
  directory: string;
  /** How many bytes are kept. */
  limit: number;
}

/** Throws `ConfigError`. */
export function daemonConfig(flags: Values): DaemonConfig {
  return configOf(givenValues(flags));
}

/** The values from flags and file. Throws `ConfigError`. */
export function givenValues(flags: Values): Values {
  // The machine's default file is only for an engine that really runs containers.
  return simulation(flags) !== null && !flags.has("config-file") ? flags : withFile(flags);
}

/** `former`: settings of registries from before, if it is read again. Throws `ConfigError`. */
export function configOf(values: Values, former: readonly engine.RegistryHosts[] = []): DaemonConfig {
  const simulated = simulation(values);
  const text = (flag: string): string | null => (values.get(flag) as string | undefined) ?? null;
  const list = (flag: string): string[] => (values.get(flag) as string[] | undefined) ?? [];
  const debug = values.get("debug") === true;
  const hosts = list("host");
  const pidFile = text("pidfile") ?? (simulated === null ? DEFAULTS.pidFile : null);
  const ownSocket = (): string => (simulated ? simulatedSocket() : DEFAULTS.socket);
  const listeners = listenersOf(hosts.length > 0 ? hosts : [ownSocket()]);
  const dataRoot = directory("data-root", text("data-root") ?? DEFAULTS.dataRoot);
  const registryCerts = directory("registry-certs", text("registry-certs") ?? DEFAULTS.registryCerts);
  const limit = byteSize("trace", text("trace-size") ?? "64m");
  // A simulated engine keeps nothing of its own in any other place.
  const traces = simulated === null ? traceDirectory(dataRoot) : simulatedTraceDirectory(listeners[0]!.path);
  return {
    listeners,
    maxApiVersion: text("max-api-version"),
    unpackedLimit: byteSize("unpacked", text("max-unpacked-size") ?? "256g"),
    documentLimit: documentSize(text("max-document-size") ?? "4m"),
    layerLimit: layerCount(text("max-image-layers") ?? String(MOST_LAYERS)),
    group: text("group"),
    dataRoot,
    execRoot: directory("exec-root", text("exec-root") ?? DEFAULTS.execRoot),
    pidFile: pidFile === null ? null : resolve(pidFile),
    insecureRegistries: list("insecure-registry"),
    registryMirrors: list("registry-mirror").map(mirror),
    registryCerts,
    ...hostsOf({ registryCerts, simulated }, former),
    ...proxiesOf(values),
    labels: list("label").map(label),
    runtimes: (values.get("add-runtime") as Map<string, string> | undefined) ?? new Map(),
    defaultRuntime: text("default-runtime"),
    networks: networksOf(values),
    logLevel: debug ? "debug" : logLevel(text("log-level") ?? "info"),
    logDriver: logDriver(text("log-driver") ?? "json-file"),
    logOptions: (values.get("log-opt") as Map<string, string> | undefined) ?? new Map(),
    builder: builderOf(values),
    debug,
    simulated,
    eventsSize: byteSize("events", text("events-size") ?? "64m"),
    trace: values.get("trace") === false ? null : { directory: traces, limit },
  };
}

/** Reads the settings of registries. `former`: those from before. */
export function hostsOf(
  { registryCerts, simulated }: Pick<DaemonConfig, "registryCerts" | "simulated">,
  former: readonly engine.RegistryHosts[],
): FoundHosts {
  return registryHosts(registryCerts, { mayBeForbidden: simulated !== null, former });
}

/** Where an engine that really runs containers keeps its trace. */
export function traceDirectory(dataRoot: string): string {
  return join(dataRoot, "trace");
}

/** Where a simulated engine keeps its trace. */
export function simulatedTraceDirectory(socket: string): string {
  return `${socket}.trace`;
}

function withFile(flags: Values): Values {
  const named = flags.get("config-file") as string | undefined;
  const file = resolve(named ?? DEFAULTS.configFile);
  const values = readConfigFile(file, named === undefined);
  const twice = OPTIONS.filter(({ flag }) => flags.has(flag) && values.has(flag));
  if (twice.length > 0) {
    const conflicts = twice.map(
      ({ flag, key }) => `${key}: (from flag: ${shown(flags.get(flag))}, from file: ${shown(values.get(flag))})`,
    );
    const why = "the following directives are specified both as a flag and in the configuration file";
    throw refused(file, `${why}: ${conflicts.join(", ")}`);
  }
  return new Map([...values, ...flags]);
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.join(" ")}]`;
  return value instanceof Map ? `[${[...value].map((pair) => pair.join("=")).join(" ")}]` : String(value);
}

/** `64m`, `1g`, or a number of bytes. */
function byteSize(what: string, text: string): number {
  const [, digits = "", unit = ""] = /^([0-9]{1,9})([kmg]?)b?$/i.exec(text) ?? [];
  const bytes = Number(digits) * 1024 ** ["", "k", "m", "g"].indexOf(unit.toLowerCase());
  if (digits !== "" && bytes >= LEAST_SIZE) return bytes;
  throw new ConfigError(`invalid ${what} size ${JSON.stringify(text)}: it must be 1m or more`);
}

/** A document is in memory as a whole, some times over. */
function documentSize(text: string): number {
  const bytes = byteSize("document", text);
  if (bytes <= LARGEST_DOCUMENT) return bytes;
  throw new ConfigError(`invalid document size ${JSON.stringify(text)}: it must be 64m or less`);
}

function layerCount(text: string): number {
  const layers = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (layers >= 1 && layers <= MOST_LAYERS) return layers;
  throw new ConfigError(`invalid number of layers ${JSON.stringify(text)}: only 1 to ${MOST_LAYERS} are possible`);
}

function directory(flag: string, path: string): string {
  if (path === "") throw new ConfigError(`invalid --${flag}: it is empty`);
  return resolve(path);
}

function logLevel(level: string): LogLevel {
  const found = LOG_LEVELS.find((known) => known === level);
  if (found !== undefined) return found;
  throw new ConfigError(`invalid log level ${JSON.stringify(level)}: it must be one of ${LOG_LEVELS.join(", ")}`);
}

function logDriver(driver: string): string {
  if (LOG_DRIVERS.some((known) => known === driver)) return driver;
  throw new ConfigError(`invalid log driver ${JSON.stringify(driver)}: it must be one of ${LOG_DRIVERS.join(", ")}`);
}

function label(label: string): string {
  if (/^[^=]+=/.test(label)) return label;
  throw new ConfigError(`invalid label ${JSON.stringify(label)}: it must be key=value`);
}

/**
 * A runtime that the configuration names and that does not work. Requests for it are refused; everything else works.
 */
export interface LackingRuntime {
  name: string;
  path: string;
  why: string;
}

/**
 * The configured runtimes that this machine lacks. `found`: those that answered. `known`: names that are always looked
 * for. Throws `ConfigError` if the default runtime is none of these names.
 */
export function lackingRuntimes(
  config: DaemonConfig,
  found: readonly { name: string }[],
  known: readonly string[],
): LackingRuntime[] {
  const { defaultRuntime, runtimes } = config;
  const wanted = new Map(runtimes);
  if (defaultRuntime !== null && !runtimes.has(defaultRuntime)) {
    if (!known.includes(defaultRuntime)) {
      throw new ConfigError(`specified default runtime ${JSON.stringify(defaultRuntime)} does not exist`);
    }
    wanted.set(defaultRuntime, defaultRuntime);
  }
  return [...wanted]
    .filter(([name]) => !found.some((runtime) => runtime.name === name))
    .map(([name, path]) => ({ name, path, why: whyLacking(path) }));
}

function whyLacking(path: string): string {
  if (!path.startsWith("/")) return "it is in no directory of programs, or does not answer --version";
  return existsSync(path) ? "it does not answer --version" : "no such file";
}
