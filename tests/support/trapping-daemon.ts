// Our daemon with a core that traps on `GET /trap`, and on opening as often as a file says. Everything else is built
// from the same sources.

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { launchDaemon, type DaemonProcess } from "./daemon-process.js";
import { ROOT, type EngineKind } from "./engines.js";
import { HERE } from "./netns.js";

export interface TrappingDaemon extends DaemonProcess {
  /** The file with the number of traps on opening. */
  readonly openTraps: string;
}

/** Starts it with the usual directories and additional flags. `place`: directory of the program below `build`. */
export async function startTrapping(
  kind: EngineKind,
  place: string,
  more: readonly string[] = [],
): Promise<TrappingDaemon> {
  const program = await bundled(place);
  let openTraps = "";
  const daemon = await launchDaemon(
    `trapping-${kind}`,
    ({ socketPath, dataRoot, execRoot, pidFile, root }) => {
      openTraps = join(root, "open-traps");
      const roots = ["-H", `unix://${socketPath}`, "--data-root", dataRoot, "--exec-root", execRoot, "-p", pidFile];
      const pretend = kind === "simulated" ? ["--simulated"] : [];
      return [process.execPath, program, openTraps, "daemon", ...roots, ...pretend, ...more];
    },
    kind === "simulated" ? { netns: HERE } : {},
  );
  return Object.assign(daemon, { openTraps });
}

async function bundled(place: string): Promise<string> {
  const directory = join(ROOT, "build", place);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  symlinkSync("../core", join(directory, "core"));
  const outfile = join(directory, "daemon.mjs");
  const entryPoints = [join(ROOT, "tests/support/trapping-program.ts")];
  await build({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", packages: "external" });
  return outfile;
}
