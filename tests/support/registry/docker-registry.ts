// The real registry (Debian's docker-registry) inside an engine's network namespace. There it is on the engine's
// loopback, so plain HTTP needs no configuration. The test reaches it through the veth pair.
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, must, until } from "../commands.js";

export interface DockerRegistry {
  /** The engine's name for it: `127.0.0.1:PORT`. */
  readonly host: string;
  /** The URL to which the test pushes. */
  readonly url: string;
  readonly authorization: string | null;
  close(): Promise<void>;
}

/** Where it runs: a network namespace, or the test's own. */
export interface Place {
  readonly address: string;
  /** Whether all ports there are free. */
  readonly isOwn: boolean;
  inside(command: readonly string[]): readonly string[];
}

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Why the registry cannot run here, or null. */
export function dockerRegistryMissing(): string | null {
  return findProgram("docker-registry") === null ? "docker-registry is not installed" : null;
}

/**
 * Starts it with an empty store. With a login, it serves nothing to anonymous clients. It gets the requested port if
 * all ports are free there, otherwise any port.
 */
export async function startDockerRegistry(
  place: Place,
  wanted = 5000,
  login: Login | null = null,
): Promise<DockerRegistry> {
  const port = place.isOwn ? wanted : await freePort();
  const root = await mkdtemp(join(tmpdir(), "coracle-registry-"));
  const config = join(root, "config.yml");
  await writeFile(config, await configText(root, port, login));
  const [program = "", ...args] = place.inside([findProgram("docker-registry") ?? "docker-registry", "serve", config]);
  const child = spawn(program, args, { stdio: "ignore" });
  const url = `http://${place.address}:${port}`;
  const authorization =
    login === null ? null : `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
  await until("the registry", async () => (await fetch(`${url}/v2/`).catch(() => null)) !== null);
  const close = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    await rm(root, { recursive: true, force: true });
  };
  return { host: `127.0.0.1:${port}`, url, authorization, close };
}

/** A port on which nothing listens now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function configText(root: string, port: number, login: Login | null): Promise<string> {
  const auth = login === null ? "" : `auth: {htpasswd: {realm: test, path: ${join(root, "htpasswd")}}}\n`;
  if (login !== null) {
    await must(["htpasswd", "-Bbc", join(root, "htpasswd"), login.username, login.password]);
  }
  return (
    "version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\n" +
    `storage: {filesystem: {rootdirectory: ${join(root, "store")}}, delete: {enabled: true}}\n` +
    `http: {addr: "0.0.0.0:${port}"}\n${auth}`
  );
}
