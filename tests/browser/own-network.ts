// A network with only a loopback interface, for a browser. On the machine's network, Chromium cancels downloads with
// ERR_NETWORK_CHANGED whenever another test adds or removes an interface.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Keeps the network alive, and passes on a socket that listens in it. It must close its own copy, or it would accept
 * connections itself.
 */
const HOLDER = `
  const server = require("node:net").createServer();
  server.listen(0, "127.0.0.1", () => process.send("listening", server, () => server.close()));
  process.on("disconnect", () => process.exit());
`;

/** Why there can be none; null if there can. */
export function reasonForNoOwnNetwork(): string | null {
  return process.getuid?.() === 0 ? null : "not root";
}

export class OwnNetwork {
  /** Needs root. */
  static async open(): Promise<OwnNetwork> {
    const inside = ["sh", "-c", 'ip link set lo up && exec "$0" "$@"', process.execPath, "-e", HOLDER];
    const holder = spawn("unshare", ["--net", ...inside], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const ended = once(holder, "exit").then(() => Promise.reject(new Error("no network could be made")));
    const [, listening] = (await Promise.race([once(holder, "message"), ended])) as [unknown, Server];
    ended.catch(() => {});
    return new OwnNetwork(holder, listening, await mkdtemp(join(tmpdir(), "coracle-network-")));
  }

  private constructor(
    private readonly holder: ChildProcess,
    /** Listens on a port of 127.0.0.1 inside. */
    readonly listening: Server,
    private readonly folder: string,
  ) {}

  /** A program that runs another one inside. */
  async running(program: string): Promise<string> {
    const path = join(this.folder, "run");
    await writeFile(path, `#!/bin/sh\nexec nsenter --net=/proc/${this.holder.pid}/ns/net -- ${program} "$@"\n`);
    await chmod(path, 0o755);
    return path;
  }

  async close(): Promise<void> {
    this.holder.disconnect();
    await rm(this.folder, { recursive: true });
  }
}
