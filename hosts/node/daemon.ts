// The daemon: puts host, driver and server together, and ends them in the right order.

import { rmSync } from "node:fs";
import { RequestBodies } from "../bodies.js";
import { Driver } from "../driver.js";
import type { DriverOptions } from "../driver.js";
import type { Host } from "../host.js";
import { Attachments } from "../streams/attachments.js";
import { systemClock } from "./clock.js";
import type { DaemonConfig } from "./config.js";
import type { Configuration } from "./configuration.js";
import { loadCore } from "./core-files.js";
import type { Closing, Ground } from "./ground.js";
import { ask } from "./internal-request.js";
import { openLog } from "./log.js";
import type { Log } from "./log.js";
import { claimPidFile } from "./pid-file.js";
import { Reloads, settingsOf } from "./reload.js";
import { ReplyRouter } from "../reply-router.js";
import { ApiServer } from "./server.js";
import { clearSocket, listen, socketGroup } from "./socket.js";
import { VERSION } from "../version.js";

/** JSON bodies beyond it are refused. */
const BODY_LIMIT = 4 * 1024 * 1024;
/** How long replies under way may take when the daemon is told to end. */
const GRACE_MS = 500;

/** Runs until it is told to end. Throws when it cannot start. */
export async function runDaemon(configuration: Configuration): Promise<void> {
  const { config } = configuration;
  const log: Log = openLog(() => reloads.config.logLevel);
  const reloads = new Reloads(configuration, log);
  const closings: Closing[] = [];
  const close = async (): Promise<void> => {
    for (let closing = closings.pop(); closing !== undefined; closing = closings.pop()) await closing();
  };
  const told = signalled();
  try {
    const remarks = await start(config, log, reloads, closings);
    for (const line of greeting(config.sockets, remarks)) console.log(line);
    log.info("stopping", { signal: await told });
  } finally {
    await close();
  }
}

async function start(
  config: DaemonConfig,
  log: Log,
  reloads: Reloads,
  closings: Closing[],
): Promise<readonly string[]> {
  const group = config.simulated === null ? socketGroup(config.group) : socketGroup(config.group ?? "");
  for (const socket of config.sockets) await clearSocket(socket);
  if (config.pidFile !== null) closings.push(claimPidFile(config.pidFile).release);
  const ground = await openGround(config, closings);
  const { host, loadImages, hasHungUp, remarks } = ground;

  const bodies = new RequestBodies();
  const replies = new ReplyRouter();
  const attachments = new Attachments(host.replies, systemClock);
  const ordered: Host = { ...host, listen: (happened, from) => host.listen(attachments.inOrder(happened), from) };
  const driver = await Driver.open(loadCore(), ordered, replies, bodies, driverOptions(config, host, log));
  closings.push(() => driver.close());
  reloads.tell({ driver, ground });
  closings.push(() => reloads.close());

  await loadImages((request) => ask(request, { driver, replies, bodies }), log);
  const { replies: stdio } = host;
  const given = { driver, replies, bodies, stdio, attachments, hasHungUp, bodyLimit: BODY_LIMIT };
  const server = await ApiServer.create(given);
  closings.push(() => server.close(GRACE_MS));
  for (const socket of config.sockets) {
    await listen(server.accept(`unix://${socket}`), socket, group);
    closings.push(() => rmSync(socket, { force: true }));
  }
  return remarks;
}

/** Only what is needed is loaded: what runs containers for real needs packages with native parts. */
async function openGround(config: DaemonConfig, closings: Closing[]): Promise<Ground> {
  if (config.simulated !== null) return (await import("./simulated.js")).openSimulated(config, closings);
  return (await import("./linux.js")).openLinux(config, closings);
}

function driverOptions(config: DaemonConfig, host: Host, log: Log): DriverOptions {
  return {
    engine: {
      version: VERSION,
      commit: "",
      built: "",
      platform: `node ${process.version}`,
      dataRoot: config.dataRoot,
      execRoot: config.execRoot,
      bodyLimit: BODY_LIMIT,
      ...settingsOf(config, host),
      logDriver: config.logDriver,
      logOptions: [...config.logOptions],
      machine: host.machine,
    },
    lost: (error) => log.error("an instance of the core was lost", { error: messageOf(error) }),
    fatal: (error) => {
      log.fatal("no instance of the core can be kept", { error: messageOf(error) });
      process.exit(1);
    },
  };
}

function signalled(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}

function greeting(sockets: readonly string[], remarks: readonly string[]): string[] {
  return [
    `Coracle ${VERSION} listens on ${sockets.map((socket) => `unix://${socket}`).join(" and ")}`,
    ...remarks,
    `Point a client at it:  export DOCKER_HOST=unix://${sockets[0]}`,
    "Try:                   docker run --rm busybox echo hello",
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
