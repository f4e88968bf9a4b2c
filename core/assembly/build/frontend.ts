// Which frontend is to read a Dockerfile (moby/buildkit, frontend/dockerfile): `# syntax=`, or a build argument. The core
// reads it itself if that is BuildKit's own frontend for Dockerfiles, of whatever version.

import { parseReference } from "../image/reference";
import { trimSpace } from "../text/space";

/** A build argument that counts more than what the file says. */
export const SYNTAX = "BUILDKIT_SYNTAX";
/** A mirror's names end like these. */
const OWN: string[] = ["docker/dockerfile", "docker/dockerfile-upstream"];

/** The name of an image; empty for none. `given`: what the argument says. */
export function frontendOf(given: string, syntax: string): string {
  const text = trimSpace(given.length > 0 ? given : syntax);
  // Options may follow.
  return text.split(" ")[0];
}

/** Why it cannot read the file; empty if the core does so in its place. */
export function frontendProblem(name: string): string {
  const reference = parseReference(name);
  const path = reference === null ? "" : `/${reference.path}`;
  for (let i = 0; i < OWN.length; i++) if (path.endsWith(`/${OWN[i]}`)) return "";
  return `the frontend ${name} is not run: this engine reads Dockerfiles itself, as docker/dockerfile does. Remove "# syntax" or ${SYNTAX}`;
}
