// Settings of registries as containerd reads them: `DIRECTORY/HOST:PORT/hosts.toml`, and `DIRECTORY/_default/hosts.toml`
// for registries that have none. The core decides what is asked when (core/assembly/image/pull/registry.ts).

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse, type TomlTable, type TomlValue } from "smol-toml";
import type { engine, types } from "../../shared/index.js";
import { ConfigError } from "./options.js";

/** Of all registries that have settings, by name. Throws `ConfigError`, which names the file. */
export function registryHosts(directory: string): engine.RegistryHosts[] {
  const found = namesIn(directory).map((name) => readHosts(directory, name));
  return found.filter((one): one is engine.RegistryHosts => one !== null);
}

function readHosts(directory: string, name: string): engine.RegistryHosts | null {
  const place = join(directory, name);
  const file = join(place, "hosts.toml");
  const text = textOf(file);
  if (text === null) return null;
  try {
    return { registry: registryOf(name), ...hostsOf(parse(text), place) };
  } catch (error) {
    throw new ConfigError(`${file}: ${(error as Error).message.split("\n")[0]}`);
  }
}

/** Where names have no colon, `host_port_` stands for `host:port`. */
function registryOf(name: string): string {
  return name.replace(/^(.+)_(\d+)_$/, "$1:$2");
}

function hostsOf({ server, host = {}, ...own }: TomlTable, place: string): Omit<engine.RegistryHosts, "registry"> {
  const hosts = Object.entries(tableOf(host, "host")).map(([address, given]) => {
    return hostOf(address, tableOf(given, `host."${address}"`), place);
  });
  if (server === undefined && Object.keys(own).length > 0) throw new Error(`"${Object.keys(own)[0]}" needs a server`);
  return { hosts, ...(server !== undefined && { server: hostOf(textIn(server, "server"), own, place) }) };
}

function hostOf(address: string, given: TomlTable, place: string): engine.RegistryHost {
  const {
    capabilities = [...ALL],
    ca,
    client,
    skip_verify: any = false,
    override_path: whole = false,
    ...rest
  } = given;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new Error(`"${unknown}" is not supported`);
  const can = listOf(capabilities, "capabilities");
  const odd = can.find((one) => !ALL.has(one));
  if (odd !== undefined) throw new Error(`unknown capability "${odd}"`);
  const url = urlOf(address);
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

/** Without a scheme it is TLS, but not on the machine itself. */
function urlOf(address: string): URL {
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/.test(address);
  const whole = address.includes("://") ? address : `${isLocal ? "http" : "https"}://${address}`;
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
  throw new Error(`"${name}" must be a table`);
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

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw new ConfigError((error as Error).message);
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return null;
    throw new ConfigError((error as Error).message);
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}

const ALL: ReadonlySet<string> = new Set(["pull", "resolve", "push"]);
