// Settings of registries as containerd reads them: `DIRECTORY/HOST:PORT/hosts.toml`, and `DIRECTORY/_default/hosts.toml`
// for registries that have no directory. The core decides what is asked when (core/assembly/image/pull/registry.ts).
// Other engines read the same directory, so that a file which this one cannot use is no reason not to start.

import { readdirSync, readFileSync, type Dirent } from "node:fs";
import { join, resolve } from "node:path";
import { parse, type TomlTable, type TomlValue } from "smol-toml";
import type { engine, types } from "../../shared/index.js";

/** What a directory tells of registries. */
export interface FoundHosts {
  /** Of all registries that have a directory there, by name. */
  registryHosts: engine.RegistryHosts[];
  /** What the files have that is not used, and why. */
  registryRemarks: HostsRemark[];
}

export interface HostsRemark {
  /** A `hosts.toml`, or the directory of all. */
  file: string;
  /** For people, without secrets. */
  why: string;
}

/** How the directory is read. */
export interface HostsReading {
  /** What may not be read counts as missing. */
  mayBeForbidden: boolean;
  /** Settings from before: those of a file that has become unusable still count. */
  former: readonly engine.RegistryHosts[];
}

export function registryHosts(directory: string, reading: HostsReading): FoundHosts {
  const found: FoundHosts = { registryHosts: [], registryRemarks: [] };
  for (const name of namesIn(directory, reading, found.registryRemarks)) {
    const one = readHosts(directory, name, reading, found.registryRemarks);
    // Of `host_port_` and `host:port` the first counts.
    if (!found.registryHosts.some(({ registry }) => registry === one.registry)) found.registryHosts.push(one);
  }
  return found;
}

/** A registry with a directory has settings, even if they are empty: those for all others do not apply to it. */
function readHosts(
  directory: string,
  name: string,
  reading: HostsReading,
  remarks: HostsRemark[],
): engine.RegistryHosts {
  const registry = registryOf(name);
  const place = join(directory, name);
  const file = join(place, "hosts.toml");
  const told: string[] = [];
  try {
    const text = textOf(file, reading);
    const hosts = text === null ? { hosts: [] } : hostsOf(parse(text), place, told);
    return { registry, ...hosts };
  } catch (error) {
    told.push((error as Error).message.split("\n")[0]!);
    return reading.former.find((one) => one.registry === registry) ?? { registry, hosts: [] };
  } finally {
    remarks.push(...told.map((why) => ({ file, why })));
  }
}

/** Where names have no colon, `host_port_` stands for `host:port`. */
function registryOf(name: string): string {
  return name.replace(/^(.+)_(\d+)_$/, "$1:$2");
}

/** Keys beside the hosts are about the server; without one they are about the registry itself. */
function hostsOf(given: TomlTable, place: string, told: string[]): Omit<engine.RegistryHosts, "registry"> {
  const { server, host = {}, ...own } = given;
  const hosts = Object.entries(tableOf(host, '"host"')).map(([address, one]) => {
    // The address is not repeated: it may have a password.
    return hostOf(urlOf(address), tableOf(one, "a host"), place, told);
  });
  if (server !== undefined) return { hosts, server: hostOf(urlOf(textIn(server, "server")), own, place, told) };
  if (Object.keys(own).length === 0) return { hosts };
  return { hosts, server: { ...hostOf(new URL("https://registry.invalid"), own, place, told), authority: "" } };
}

/** `told`: gets what is read and not followed. */
function hostOf(url: URL, given: TomlTable, place: string, told: string[]): engine.RegistryHost {
  const { capabilities = [], ca, client, skip_verify: any = false, override_path: whole = false, ...rest } = given;
  if (rest["header"] !== undefined) told.push('"header" is not sent');
  const unknown = Object.keys(rest).find((key) => !UNUSED.has(key));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not supported`);
  const named = listOf(capabilities, "capabilities");
  const can = named.length === 0 ? [...ALL] : named;
  const odd = can.find((one) => !ALL.has(one));
  if (odd !== undefined) throw new Error(`unknown capability "${odd}"`);
  return {
    authority: url.host,
    security: url.protocol === "http:" ? "plain" : flagIn(any, "skip_verify") ? "any-certificate" : "verified-tls",
    ...{ pulls: can.includes("pull"), resolves: can.includes("resolve"), pushes: can.includes("push") },
    way: {
      path: pathOf(url, flagIn(whole, "override_path")),
      authorities: ca === undefined ? [] : listOf(ca, "ca").map((path) => resolve(place, path)),
      certificates: client === undefined ? [] : clientsOf(client, place),
    },
  };
}

/** Without a scheme it is TLS. */
function urlOf(address: string): URL {
  const whole = address.includes("://") ? address : `https://${address}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  // The address is not repeated: it may have a password.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error("an address must be https://host or http://host");
  if (url.username + url.password + url.search + url.hash !== "") {
    throw new Error(`the address of ${url.host} must have no user, query or fragment`);
  }
  return url;
}

function pathOf({ pathname }: URL, whole: boolean): string {
  const path = pathname.replace(/\/+$/, "");
  return whole || path.endsWith("/v2") ? path : `${path}/v2`;
}

/** One file with a certificate and its key, several of them, or pairs of files. */
function clientsOf(client: TomlValue, place: string): types.ClientCertificate[] {
  const given = Array.isArray(client) ? client : [client];
  return given.map((one) => {
    const [certificate = "", key = ""] = Array.isArray(one) ? listOf(one, "client") : [textIn(one, "client")];
    if (certificate === "") throw new Error('"client" must name files');
    return { certificate: resolve(place, certificate), key: resolve(place, key || certificate) };
  });
}

function tableOf(value: TomlValue, name: string): TomlTable {
  if (typeof value === "object" && !Array.isArray(value) && !(value instanceof Date)) return value;
  throw new Error(`${name} must be a table`);
}

/** One text counts as a list of it. */
function listOf(value: TomlValue, name: string): string[] {
  return (Array.isArray(value) ? value : [value]).map((one) => textIn(one, name));
}

function textIn(value: TomlValue, name: string): string {
  if (typeof value === "string") return value;
  throw new Error(`"${name}" must be a text`);
}

function flagIn(value: TomlValue, name: string): boolean {
  if (typeof value === "boolean") return value;
  throw new Error(`"${name}" must be true or false`);
}

/** Directories, and links that may lead to some. Names without a colon come first, as containerd looks for them. */
function namesIn(directory: string, reading: HostsReading, remarks: HostsRemark[]): string[] {
  try {
    const names = readdirSync(directory, { withFileTypes: true })
      .filter(mayBeDirectory)
      .map(({ name }) => name);
    const isPlain = (name: string): number => Number(registryOf(name) === name);
    return names.sort().sort((a, b) => isPlain(a) - isPlain(b));
  } catch (error) {
    if (!isMissing(error, reading)) remarks.push({ file: directory, why: (error as Error).message });
    return [];
  }
}

function mayBeDirectory(entry: Dirent): boolean {
  return entry.isDirectory() || entry.isSymbolicLink();
}

/** Null if there is none. Throws an error of `node:fs` if it cannot be read. */
function textOf(file: string, reading: HostsReading): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error, reading)) return null;
    throw error;
  }
}

function isMissing(error: unknown, { mayBeForbidden }: HostsReading): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["ENOENT", "ENOTDIR"].includes(code) || (mayBeForbidden && ["EACCES", "EPERM"].includes(code));
}

/** Keys of containerd that this engine does not follow. */
const UNUSED: ReadonlySet<string> = new Set(["header", "dial_timeout"]);
const ALL: ReadonlySet<string> = new Set(["pull", "resolve", "push"]);
