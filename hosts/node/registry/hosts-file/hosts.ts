// What a `hosts.toml` of containerd tells of a registry: which hosts to ask in its place, and how they are reached.

import { dirname, resolve } from "node:path";
import type { TomlTable, TomlValue } from "smol-toml";
import type { engine, types } from "../../../shared/index.js";
import { headersIn, keepHeaders } from "./headers.js";
import { flagIn, listOf, millisecondsIn, parsed, pathOf, tableOf, textIn, urlOf } from "./values.js";

/** `file`: its path, from which other paths in it begin. Throws an error without secrets if the text cannot be used. */
export function hostsIn(text: string, file: string): Omit<engine.RegistryHosts, "registry"> {
  const given = parsed(text);
  const hosts = hostsOf(given, file);
  keepHeaders(file, given);
  return hosts;
}

/** Keys beside the hosts are about the server; without one they are about the registry itself. */
function hostsOf(given: TomlTable, file: string): Omit<engine.RegistryHosts, "registry"> {
  const { server, host = {}, ...own } = given;
  const hosts = Object.entries(tableOf(host, '"host"')).map(([address, one]) => {
    // The address is not repeated: it may have a password.
    return hostOf(urlOf(address), tableOf(one, "a host"), { file, host: address });
  });
  const place = { file, host: "" };
  if (server !== undefined) return { hosts, server: hostOf(urlOf(textIn(server, "server")), own, place) };
  if (Object.keys(own).length === 0) return { hosts };
  return { hosts, server: { ...hostOf(NAMELESS, own, place), authority: "" } };
}

function hostOf(url: URL, given: TomlTable, at: types.HeaderPlace): engine.RegistryHost {
  const { capabilities = [], skip_verify: any = false, ...rest } = given;
  const unknown = Object.keys(rest).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not supported`);
  const named = listOf(capabilities, "capabilities");
  const can = named.length === 0 ? [...ALL] : named;
  const odd = can.find((one) => !ALL.has(one));
  if (odd !== undefined) throw new Error(`unknown capability "${odd}"`);
  return {
    authority: url.host,
    security: url.protocol === "http:" ? "plain" : flagIn(any, "skip_verify") ? "any-certificate" : "verified-tls",
    ...{ pulls: can.includes("pull"), resolves: can.includes("resolve"), pushes: can.includes("push") },
    way: wayOf(url, rest, at),
  };
}

function wayOf(url: URL, given: TomlTable, at: types.HeaderPlace): types.RegistryWay {
  const { ca, client, override_path: whole = false, header, dial_timeout: timeout } = given;
  const place = dirname(at.file);
  if (header !== undefined) headersIn(header);
  return {
    path: pathOf(url, flagIn(whole, "override_path")),
    authorities: ca === undefined ? [] : listOf(ca, "ca").map((path) => resolve(place, path)),
    certificates: client === undefined ? [] : clientsOf(client, place),
    ...(header !== undefined && { headers: at }),
    ...(timeout !== undefined && { connectWithin: millisecondsIn(textIn(timeout, "dial_timeout")) }),
  };
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

const ALL: ReadonlySet<string> = new Set(["pull", "resolve", "push"]);
/** Of a host, besides those that every host has. */
const KEYS: ReadonlySet<string> = new Set(["ca", "client", "override_path", "header", "dial_timeout"]);
/** Stands for a registry that is the server itself. */
const NAMELESS = new URL("https://registry.invalid");
