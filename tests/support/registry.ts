// The real registry on this machine's own loopback, for tests that need no engine.
import { createServer, type AddressInfo } from "node:net";
import { findProgram } from "./commands.js";
import { dockerRegistryMissing, startDockerRegistry, type DockerRegistry, type Login } from "./docker-registry.js";
import type { Netns } from "./netns.js";

/** Why there can be no registry with a login here, or null. */
export function loginRegistryMissing(): string | null {
  return findProgram("htpasswd") === null ? "htpasswd (apache2-utils) is not installed" : dockerRegistryMissing();
}

/** Starts it on a free port, open or for one user. `pushImage` of push-image.ts takes it as a target. */
export async function startLoopbackRegistry(login: Login | null = null): Promise<DockerRegistry> {
  return startDockerRegistry(HERE, await freePort(), login);
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The network namespace that the test itself is in. */
const HERE: Netns = {
  name: "",
  path: "/proc/self/ns/net",
  hostAddress: "127.0.0.1",
  address: "127.0.0.1",
  inside: (command) => [...command],
  close: async () => {},
};
