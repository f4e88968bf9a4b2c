// Where the daemon listens: `unix:///path/of/the.sock`, with parameters behind `?`.

import { resolve } from "node:path";
import { DRY_RUN } from "../../dry-run/index.js";
import { ConfigError } from "./options.js";

const MAX_API_VERSION = "max-api-version";

export interface Listener {
  /** Absolute path of its socket. */
  path: string;
  /** The newest API version that is served there; null: as everywhere. */
  maxApiVersion: string | null;
  /** Each of its requests is a dry run. */
  isDryRun: boolean;
}

/** Its name, which requests carry. */
export function nameOf({ path, maxApiVersion, isDryRun }: Listener): string {
  const parameters = [
    ...(maxApiVersion === null ? [] : [`${MAX_API_VERSION}=${maxApiVersion}`]),
    ...(isDryRun ? [DRY_RUN] : []),
  ];
  return `unix://${path}${parameters.length === 0 ? "" : `?${parameters.join("&")}`}`;
}

/** The listeners for live requests come first. Throws `ConfigError`. */
export function listenersOf(hosts: string[]): Listener[] {
  const listeners = new Map(hosts.map(listenerOf).map((listener) => [nameOf(listener), listener]));
  const all = [...listeners.values()];
  const twice = all.find(({ path }, index) => all.findIndex((other) => other.path === path) < index);
  if (twice !== undefined) throw invalid(nameOf(twice), "the same socket is given with other parameters, too");
  return [...all.filter(({ isDryRun }) => !isDryRun), ...all.filter(({ isDryRun }) => isDryRun)];
}

function listenerOf(host: string): Listener {
  const [address = "", ...queries] = host.split("?");
  const path = address.startsWith("unix://") ? address.slice("unix://".length) : address;
  if (!path.startsWith("/")) throw invalid(host, "only unix sockets are served: unix:///path/of/the.sock");
  const listener: Listener = { path: resolve(path), maxApiVersion: null, isDryRun: false };
  const query = queries.join("?");
  for (const parameter of query === "" ? [] : query.split("&")) take(listener, parameter, host);
  return listener;
}

function take(listener: Listener, parameter: string, host: string): void {
  if (parameter === DRY_RUN) listener.isDryRun = true;
  else if (parameter.startsWith(`${MAX_API_VERSION}=`)) {
    listener.maxApiVersion = parameter.slice(MAX_API_VERSION.length + 1);
  } else throw invalid(host, `${JSON.stringify(parameter)} is neither ${DRY_RUN} nor ${MAX_API_VERSION}=VERSION`);
}

function invalid(host: string, why: string): ConfigError {
  return new ConfigError(`invalid host ${JSON.stringify(host)}: ${why}`);
}
