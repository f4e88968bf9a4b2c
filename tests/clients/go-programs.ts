// The Go programs next to this file, built with Debian's SDK packages and without downloading modules.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram, must, run, type Finished } from "../support/commands.js";
import { ROOT } from "../support/engines.js";

const SOURCES = fileURLToPath(new URL("./go/", import.meta.url));

/** Debian's directory for the sources of Go packages; the GOPATH of programs that use them. */
const PACKAGES = "/usr/share/gocode";

/** Why there are no Go programs here, or null. */
export function goMissing(): string | null {
  if (findProgram("go") === null) return "go (Debian package golang-go) is not installed";
  const client = join(PACKAGES, "src/github.com/docker/docker/client");
  return existsSync(client) ? null : "Docker's Go SDK (golang-github-docker-docker-dev) is not installed";
}

/** The first build on a machine compiles the SDK and much of Go's library, while other tests run. Go keeps what it made. */
export const LONGEST_BUILD_MS = 10 * 60_000;

/** Builds each changed folder of tests/clients/go. Returns the programs by the names of their folders. */
export async function buildGoPrograms(): Promise<GoPrograms> {
  const programs = join(ROOT, "build/clients/go");
  await mkdir(programs, { recursive: true });
  const offline = { GO111MODULE: "off", GOPATH: PACKAGES, GOFLAGS: "", GOPROXY: "off", GOTOOLCHAIN: "local" };
  // Go keeps its cache below it.
  const env = { ...offline, HOME: homedir(), CGO_ENABLED: "0" };
  const command = [findProgram("go") ?? "go", "build", "-ldflags=-s -w", "-o", programs, "./..."];
  await must(command, { cwd: SOURCES, env, timeoutMs: LONGEST_BUILD_MS });
  return new GoPrograms(programs);
}

export class GoPrograms {
  constructor(readonly directory: string) {}

  run(socketPath: string, name: string, args: readonly string[], input = ""): Promise<Finished> {
    const env = { DOCKER_HOST: `unix://${socketPath}` };
    return run([join(this.directory, name), ...args], { env, input });
  }
}
