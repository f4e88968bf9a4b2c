// The daemon: puts host, driver and server together, and ends them in the right order.

import { rmSync } from "node:fs";
import { RequestBodies } from "../bodies.js";
import { Driver } from "../driver.js";
import { DRY_RUN, DryRuns } from "../dry-run/dry-runs.js";
import type { DriverOptions } from "../driver.js";
import type { Host } from "../host.js";
import { Trap } from "../instance.js";
import type { CompiledCore } from "../instance.js";
import { together } from "../observer.js";
import { Attachments } from "../streams/attachments.js";
import { systemClock } from "./clock.js";
import type { DaemonConfig } from "./config.js";
import type { Configuration } from "./configuration.js";
import { coreIdentity, loadCore } from "./core-files.js";
import { tellFindings } from "./findings.js";
import type { Closing, Ground } from "./ground.js";
import { ask } from "./internal-request.js";
import { openLog } from "./log.js";
import type { Log } from "./log.js";
import { claimPidFile } from "./pid-file.js";
import { Reloads, settingsOf } from "./reload.js";
import { ReplyRouter } from "../reply-router.js";
import { ApiServer } from "./server.js";
import type { ApiServerOptions } from "./server.js";
import { clearSocket, listen, socketGroup } from "./socket.js";
import { Surplus } from "./surplus.js";
import { FlightRecorder } from "./trace/flight-recorder.js";
import { Incidents } from "./trace/incidents.js";
import { traceReply } from "./trace/request.js";
import { LONGEST_CLOSE_NS } from "../succession.js";
import { VERSION } from "../version.js";

/** JSON bodies beyond it are refused. */
const BODY_LIMIT = 4 * 1024 * 1024;
/** How long replies under way may take when the daemon is told to end. */
const GRACE_MS = 500;

/** The core that a daemon runs. */
export interface DaemonCore {
  compiled: CompiledCore;
  /** What a trace calls it by. */
  identity: string;
}

function ownCore(): DaemonCore {
  return { compiled: loadCore(), identity: coreIdentity() };
}

/** Runs until it is told to end. Throws when it cannot start. */
export async function runDaemon(configuration: Configuration, core: DaemonCore = ownCore()): Promise<void> {
  const { config } = configuration;
  const log: Log = openLog(() => reloads.config.logLevel);
  const reloads = new Reloads(configuration, log);
  const closings: Closing[] = [];
  const close = async (): Promise<void> => {
    const since = systemClock.now().monotonic;
    for (let closing = closings.pop(); closing !== undefined; closing = closings.pop()) await closing(since);
  };
  const told = signalled();
  try {
    const remarks = await start(config, core, log, reloads, closings);
    for (const line of greeting(config, remarks)) console.log(line);
    log.info("stopping", { signal: await told });
  } finally {
    await close();
  }
}

async function start(
  config: DaemonConfig,
  core: DaemonCore,
  log: Log,
  reloads: Reloads,
  closings: Closing[],
): Promise<readonly string[]> {
  const group = config.simulated === null ? socketGroup(config.group) : socketGroup(config.group ?? "");
  const sockets = listeners(config);
  for (const { path } of sockets) await clearSocket(path);
  if (config.pidFile !== null) closings.push(claimPidFile(config.pidFile).release);
  const ground = await openGround(config, closings, log);
  const { host, loadImages, hasHungUp, peerOf, remarks } = ground;

  const bodies = new RequestBodies();
  const replies = new ReplyRouter();
  const attachments = new Attachments(host.replies, systemClock);
  const ordered: Host = { ...host, listen: (happened, from) => host.listen(attachments.inOrder(happened), from) };
  const recorder = openRecorder(config, core.identity, log);
  closings.push(() => recorder?.close());
  const incidents = new Incidents(recorder, log);
  ground.memory?.bound();
  const surplus = new Surplus(ground.memory, log);
  closings.push(() => surplus.close());
  const options = driverOptions(config, host, recorder, incidents);
  options.observer = together([...(recorder === null ? [] : [recorder]), tellFindings(log), surplus]);
  const driver = await opened(Driver.open(core.compiled, ordered, replies, bodies, options), incidents);
  let server: ApiServer | null = null;
  closings.push(() => server?.close());
  closings.push((since) => closeDriver(driver, host, since));
  surplus.watch(driver);
  reloads.tell({ driver, ground });
  closings.push(() => reloads.close());

  await loadImages((request) => ask(request, { driver, replies, bodies }), log);
  const { replies: stdio } = host;
  const dryRuns = new DryRuns({
    ...{ core: core.compiled, host, options: options.engine },
    fork: () => driver.fork(),
    onEnd: (told) => driver.onEnd(told),
  });
  closings.push(() => dryRuns.close("the engine stops"));
  const given = { driver, replies, bodies, stdio, attachments, hasHungUp, peerOf, bodyLimit: BODY_LIMIT, dryRuns };
  const telling = { recorder, knowsPeers: peerOf !== undefined };
  const own: ApiServerOptions["own"] = (head, from) => traceReply(head, from, telling);
  const api = (server = await ApiServer.create({ ...given, own }));
  closings.push(() => api.drain(GRACE_MS));
  for (const { path, name } of sockets) {
    await listen(api.accept(name), path, group);
    closings.push(() => rmSync(path, { force: true }));
  }
  return remarks;
}

/** Only what is needed is loaded: what runs containers for real needs packages with native parts. */
async function openGround(config: DaemonConfig, closings: Closing[], log: Log): Promise<Ground> {
  if (config.simulated !== null) return (await import("./simulated.js")).openSimulated(config, closings, log);
  return (await import("./linux.js")).openLinux(config, closings, log);
}

/** A simulated machine has a time of its own, which may be slower: it is not waited for longer than a real one. */
async function closeDriver(driver: Driver, { timers }: Host, since: bigint): Promise<void> {
  const callOff = systemClock.at(since + LONGEST_CLOSE_NS, () => driver.cut());
  const passed = systemClock.now().monotonic - since;
  await driver.close(timers.now().monotonic - passed).finally(callOff);
}

/** An engine that cannot be recorded runs all the same. */
function openRecorder({ trace }: DaemonConfig, core: string, log: Log): FlightRecorder | null {
  if (trace === null) return null;
  try {
    return new FlightRecorder({ ...trace, core, log });
  } catch (error) {
    log.warn("no trace is recorded", { error: messageOf(error) });
    return null;
  }
}

async function opened(opening: Promise<Driver>, incidents: Incidents): Promise<Driver> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof Trap) await incidents.fatal(error);
    throw error;
  }
}

function driverOptions(
  config: DaemonConfig,
  host: Host,
  recorder: FlightRecorder | null,
  incidents: Incidents,
): DriverOptions {
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
    lost: (error, incident) => incidents.lost(error, incident),
    fatal: (error) => void incidents.fatal(error).then(() => process.exit(1)),
    ...(recorder === null ? {} : { epoch: recorder.epoch }),
  };
}

function signalled(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}

function greeting({ sockets, dryRunSockets }: DaemonConfig, remarks: readonly string[]): string[] {
  const names = listeners({ sockets, dryRunSockets }).map(({ name }) => name);
  return [
    `Coracle ${VERSION} listens on ${names.join(" and ")}`,
    ...remarks,
    `Point a client at it:  export DOCKER_HOST=unix://${sockets[0] ?? dryRunSockets[0]}`,
    "Try:                   docker run --rm busybox echo hello",
  ];
}

interface Listener {
  path: string;
  name: string;
}

/** Sockets with their names, as requests bear them. */
function listeners({ sockets, dryRunSockets }: Pick<DaemonConfig, "sockets" | "dryRunSockets">): Listener[] {
  const real = sockets.map((path) => ({ path, name: `unix://${path}` }));
  return [...real, ...dryRunSockets.map((path) => ({ path, name: `unix://${path}${DRY_RUN}` }))];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
