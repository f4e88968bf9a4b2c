// The npm package as installed by a user, in a separate directory without other packages.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export class PackedPackage {
  /** Files written here can import `coracle-engine`. */
  readonly directory: string;
  /** As it is published. */
  readonly tarball: string;

  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), "coracle-package-"));
    this.tarball = packedIn(inject("shared"), this.directory);
    const home = join(this.directory, "node_modules/coracle-engine");
    mkdirSync(home, { recursive: true });
    execFileSync("tar", ["-xzf", this.tarball, "-C", home, "--strip-components=1"]);
    writeFileSync(join(this.directory, "package.json"), JSON.stringify({ type: "module", private: true }));
  }

  /** Writes a file and returns its path. */
  write(name: string, text: string): string {
    const path = join(this.directory, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a program of the directory and returns its output. Throws with the output if it fails. */
  run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
    return execFileSync(program, args, {
      cwd: this.directory,
      encoding: "utf8",
      stdio: "pipe",
      timeout: 110_000,
      maxBuffer: 1 << 26,
      env,
    });
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Packs it once a run: npm needs more than a second for it. Files that begin together pack it each. */
function packedIn(shared: string, directory: string): string {
  const tarball = join(shared, "coracle-engine.tgz");
  if (existsSync(tarball)) return tarball;
  const packing = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", directory];
  const packed = execFileSync("npm", packing, { cwd: ROOT, encoding: "utf8" }).trim().split("\n").at(-1)!;
  renameSync(join(directory, packed), tarball);
  return tarball;
}
