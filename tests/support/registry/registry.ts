// The real registry on this machine's own loopback, for tests that need no engine.
import { findProgram } from "../commands.js";
import { dockerRegistryMissing, startDockerRegistry, type DockerRegistry, type Login } from "./docker-registry.js";
import { HERE } from "../netns.js";

/** Why a registry with a login cannot run here, or null. */
export function loginRegistryMissing(): string | null {
  return findProgram("htpasswd") === null ? "htpasswd (apache2-utils) is not installed" : dockerRegistryMissing();
}

/** Starts it on a free port, open or for one user. `pushImage` of push-image.ts accepts it as a target. */
export async function startLoopbackRegistry(login: Login | null = null): Promise<DockerRegistry> {
  return startDockerRegistry(HERE, 0, login);
}
