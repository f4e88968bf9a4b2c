// The simulated machine for the daemon. It lives in this process and ends with it.

import { libc } from "../../runtime-linux/kernel/libc.js";
import { processMemory } from "../../runtime-linux/kernel/memory.js";
import { bodyOf } from "../request/index.js";
import { loadImage } from "../engine/index.js";
import { VERSION } from "../shared/index.js";
import { KNOWN, runtimesOf, simulatedHost } from "../simulated/index.js";
import { lackingRuntimes } from "./config/config.js";
import type { Ground, OpenGround } from "./ground.js";
import { LoopbackDoors } from "./simulated-ports.js";
import { nodeTransport } from "./registry/index.js";
import type { Simulation } from "./config/simulation.js";

const REMARKS = [
  "Nothing really runs:   containers, images and networks are simulated in this process, and end with it",
  "Published ports:       TCP ports are reached at 127.0.0.1",
];

/** Only its clients and its process are real: what Linux says about clients, and the memory that Linux takes back. */
const CLIENTS: Pick<Ground, "hasHungUp" | "peerOf" | "memory"> = {
  hasHungUp: (descriptor) => libc.hungUp(descriptor),
  peerOf: (descriptor) => libc.peerOf(descriptor),
  memory: processMemory,
};

export const openSimulated: OpenGround = async (config, closings) => {
  const { pace, seed } = config.simulated as Simulation;
  const doors = new LoopbackDoors();
  const host = simulatedHost({
    doors,
    pace,
    seed,
    // The real time, because clients compare answers with their own clock.
    begins: BigInt(Date.now()) * 1_000_000n,
    dataRoot: config.dataRoot,
    journalBytes: config.eventsSize,
    runtimes: [...config.runtimes.keys()],
    elsewhere: nodeTransport({ certificates: config.registryCerts, proxies: config.proxies }),
    userAgent: `coracle/${VERSION}`,
  });
  doors.serve(host);
  closings.push(() => host.close());
  lackingRuntimes(config, host.runtimes, KNOWN);
  return {
    host,
    offer: async (config) => {
      const names = [...config.runtimes.keys()];
      lackingRuntimes(config, runtimesOf(names), KNOWN);
      host.offer(names);
    },
    ...(process.platform === "linux" && CLIENTS),
    remarks: REMARKS,
    loadImages: async (door, log) => {
      for (const archive of host.firstImages()) {
        const refused = await loadImage(bodyOf(archive), door);
        if (refused !== null) log.warn("an image cannot be loaded", { status: refused.status, reply: refused.text });
      }
    },
  };
};
