// Our daemon with a core that traps: on `GET /trap`, and when it is opened, as often as a file says. It is the same
// daemon, built from the same sources, but for the core that it is handed.

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { launchDaemon, type DaemonProcess } from "./daemon-process.js";
import { ROOT, type EngineKind } from "./engines.js";
import { HERE } from "./netns.js";

export interface TrappingDaemon extends DaemonProcess {
  /** Holds how often the core shall trap when it is opened. */
  readonly openTraps: string;
}

/**
 * Starts it with its directories as usual, and with more flags. `place`: where the program is put, a directory of its own
 * below `build`.
 */
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
