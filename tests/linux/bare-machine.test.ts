// A machine with only the programs that the daemon is documented to need.

import { realpathSync } from "node:fs";
import { expect, test } from "vitest";
import { findProgram } from "../support/commands.js";
import { launchDaemon } from "../support/daemon-process.js";
import { EngineClient } from "../support/engine-client.js";
import { CORACLE, missingLinux } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";

const missing = missingLinux();

/** Programs that other engines need for what ours does itself. */
const OTHERS = ["ip", "iptables", "netavark", "/usr/lib/podman/netavark", "dockerd", "containerd"];

describeUnless(missing, "a bare machine", () => {
  test("is enough for a container on a bridge with a published port", async () => {
    const hidden = OTHERS.map(findProgram).filter((program) => program !== null);
    // In a mount namespace of the daemon, these programs are replaced by files that cannot be executed.
    const hide = hidden.map((program) => `mount --bind /proc/version ${realpathSync(program)}`);
    const script = [...hide, `! ip link 2>/dev/null || exit 9`, `exec "$@"`].join("\n");
    const daemon = await launchDaemon("bare", ({ socketPath, dataRoot, execRoot, pidFile }) => [
      ...["unshare", "--mount", "sh", "-ec", script, "sh", ...CORACLE, "daemon", "-H", `unix://${socketPath}`],
      ...["--data-root", dataRoot, "--exec-root", execRoot, "-p", pidFile],
    ]);
    try {
      const engine = new EngineClient(daemon.socketPath);
      const HostConfig = { PortBindings: { "80/tcp": [{ HostPort: "8080" }] } };
      const ended = await engine.run({ Cmd: ["ip", "-o", "link"], ExposedPorts: { "80/tcp": {} }, HostConfig });
      expect(ended.stdout).toContain("eth0");
    } finally {
      await daemon.close();
    }
  });
});
