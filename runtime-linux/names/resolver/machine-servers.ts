// The machine's own name servers (resolv.conf(5)). The file may change at any time, as when a laptop changes networks.

import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";

const FILE = "/etc/resolv.conf";
/** How often the file may be looked at. */
const PAUSE_MS = 1000;

export class MachineServers {
  #servers: string[] = [];
  #version = "";
  #looked = -PAUSE_MS;

  constructor(private readonly file = FILE) {}

  get(): string[] {
    const now = performance.now();
    if (now - this.#looked < PAUSE_MS) return this.#servers;
    this.#looked = now;
    const version = versionOf(this.file);
    if (version !== this.#version) this.#servers = serversIn(this.file);
    this.#version = version;
    return this.#servers;
  }
}

function versionOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev} ${found.ino} ${found.mtimeMs} ${found.size}`;
}

function serversIn(file: string): string[] {
  const lines = textOf(file).matchAll(/^\s*nameserver\s+(\S+)/gm);
  return [...lines].map(([, server = ""]) => server).filter((server) => isIP(server.split("%")[0]!) !== 0);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // none, or removed meanwhile
  }
}
