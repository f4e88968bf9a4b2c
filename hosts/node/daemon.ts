// The daemon: assembles host, driver and server, and ends them in the right order.

import { rmSync } from "node:fs";
import { AssembledEngine, coreOptions } from "../engine/index.js";
import type { EngineParts } from "../engine/index.js";
import { VERSION } from "../shared/index.js";
import type { Host } from "../shared/index.js";
import { Trap } from "../driver/index.js";
import type { CompiledCore } from "../driver/index.js";
import { systemClock } from "./clock.js";
import type { DaemonConfig } from "./config/config.js";
import type { Configuration } from "./config/configuration.js";
import { nameOf } from "./config/listeners.js";
import { coreIdentity, loadCore } from "./core-files.js";
import { tellFindings } from "./findings.js";
import type { Closing, Ground } from "./ground.js";
import { openLog } from "./log.js";
import type { Log } from "./log.js";
import { claimPidFile } from "./pid-file.js";
import { Reloads, tellHosts } from "./config/reload.js";
import { ApiServer } from "./http/server.js";
import type { ApiServerOptions } from "./http/server.js";
import { clearSocket, listen, socketGroup } from "./http/socket.js";
import { notePassed } from "./memory/passed.js";
import { Surplus } from "./memory/surplus.js";
import { FlightRecorder } from "./trace/flight-recorder.js";
import { Incidents } from "./trace/incidents.js";
import { traceReply } from "./trace/request.js";

/** The core that a daemon runs. */
export interface DaemonCore {
  compiled: CompiledCore;
  /** Its identity in a trace. */
  identity: string;
}

function ownCore(): DaemonCore {
  return { compiled: loadCore(), identity: coreIdentity() };
}

/** Runs until it is told to end. Throws if it cannot start. */
export async function runDaemon(configuration: Configuration, core: DaemonCore = ownCore()): Promise<void> {
  const { config } = configuration;
  const log: Log = openLog(() => reloads.config.logLevel);
  const reloads = new Reloads(configuration, log);
  const closings: Closing[] = [() => reloads.stopListening()];
  const close = async (): Promise<void> => {
    for (let closing = closings.pop(); closing !== undefined; closing = closings.pop()) await closing();
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
  for (const { path } of config.listeners) await clearSocket(path);
  if (config.pidFile !== null) closings.push(claimPidFile(config.pidFile).release);
  const ground = await openGround(config, closings, log);
  const { host, loadImages, hasHungUp, peerOf, remarks } = ground;
  tellHosts(config, log);

  const recorder = openRecorder(config, core.identity, log);
  closings.push(() => recorder?.close());
  const incidents = new Incidents(recorder, log);
  ground.memory?.bound();
  const surplus = new Surplus(ground.memory, log, ground.quietFile);
  closings.push(() => surplus.close());
  const observers = [...(recorder === null ? [] : [recorder]), tellFindings(log), surplus];
  const epoch = recorder?.epoch ?? 0;
  const parts = engineParts(config, host, incidents);
  const engine = new AssembledEngine({ ...parts, core: core.compiled, observers, epoch });
  closings.push(() => reloads.close());
  closings.push(() => engine.close());
  await opened(engine, incidents);
  surplus.watch(engine.driver!);
  reloads.tell({ engine, ground });

  await loadImages(engine, log);
  const telling = { recorder, knowsPeers: peerOf !== undefined };
  const own: ApiServerOptions["own"] = (head, from) => traceReply(head, from, telling);
  const generation = (): number => engine.generation;
  const api = await ApiServer.create({ entrance: engine, generation, hasHungUp, peerOf, own, passed: notePassed });
  engine.join(api);
  for (const listener of config.listeners) {
    await listen(api.accept(nameOf(listener)), listener.path, group);
    closings.push(() => rmSync(listener.path, { force: true }));
  }
  return remarks;
}

/** Loads only what is needed: running real containers takes packages with native parts. */
async function openGround(config: DaemonConfig, closings: Closing[], log: Log): Promise<Ground> {
  if (config.simulated !== null) return (await import("./simulated.js")).openSimulated(config, closings, log);
  return (await import("./linux.js")).openLinux(config, closings, log);
}

/** If nothing can be recorded, the engine runs anyway. */
function openRecorder({ trace }: DaemonConfig, core: string, log: Log): FlightRecorder | null {
  if (trace === null) return null;
  try {
    return new FlightRecorder({ ...trace, core, log });
  } catch (error) {
    log.warn("no trace is recorded", { error: messageOf(error) });
    return null;
  }
}

async function opened(engine: AssembledEngine, incidents: Incidents): Promise<void> {
  try {
    await engine.open();
  } catch (error) {
    if (error instanceof Trap) await incidents.fatal(error);
    throw error;
  }
}

function engineParts(config: DaemonConfig, host: Host, incidents: Incidents): Omit<EngineParts, "core"> {
  const listenerVersions = config.listeners.flatMap((listener): [string, string][] =>
    listener.maxApiVersion === null ? [] : [[nameOf(listener), listener.maxApiVersion]],
  );
  const options = coreOptions(host, { ...config, listenerVersions, platform: `node ${process.version}` });
  return {
    host,
    options: () => options,
    lost: (error, incident) => incidents.lost(error, incident),
    fatal: (error) => void incidents.fatal(error).then(() => process.exit(1)),
    // A simulated machine's time may leap, but clients are real.
    patience: systemClock,
  };
}

function signalled(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}

function greeting({ listeners }: DaemonConfig, remarks: readonly string[]): string[] {
  const names = listeners.map(nameOf);
  return [
    `Coracle ${VERSION} listens on ${names.join(" and ")}`,
    ...remarks,
    `Point a client at it:  export DOCKER_HOST=unix://${listeners[0]!.path}`,
    "Try:                   docker run --rm busybox echo hello",
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
