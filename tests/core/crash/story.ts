// Stories: rows of actions, one per line, chosen at random from a seed. The meaning of a line depends only on the lines
// before it.

import type { HostCommand } from "../../simulator/commands.js";
import { randomFrom } from "../support/door.js";
import type { Engine, Request } from "./engine.js";
import { type Memory, containersOf } from "./memory.js";
import { IMAGES } from "./registry.js";

export const NAMES: readonly string[] = ["anna", "bert", "cleo"];
const FAULTS: readonly HostCommand[] = [
  "mount",
  "join",
  "launch",
  "layer",
  "flush-layers",
  "commit",
  "unmount",
  "leave",
  "leave-all",
  "reap",
  "drop-container",
  "stat",
  "extract",
  "make",
  "signal",
  "pause",
  "resume",
  "limit",
];

/** Images come first, then containers; then anything may happen to them. */
export function drawStory(seed: number, length: number): string[] {
  const random = randomFrom(seed * 7919 + 13);
  const one = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;
  const images = [...IMAGES.keys()].filter(() => random(3) === 0);
  const watch = seed % 2 === 0 ? ["watch"] : [];
  const story = images.flatMap((image) => [`${one(["pull", "load", "save"])} ${image}`, ...worked(10, random)]);
  for (const name of NAMES.slice(random(NAMES.length))) story.push(drawCreation(name, ["busybox", ...images], one));
  for (let at = 0; at < length; at++) {
    if (random(8) === 0) story.push(...failingStart(one(NAMES), one(FAULTS)));
    story.push(random(12) === 0 ? drawCreation(one(NAMES), ["busybox", ...IMAGES.keys()], one) : drawLine(one, random));
    story.push(...worked(random(6), random));
  }
  for (let at = 0; at < EXECS; at++) story.push(...drawExec(one, random));
  return [...watch, ...story];
}

/** In a container that has just been started, or has not. */
function drawExec(one: One, random: (limit: number) => number): string[] {
  const name = one(NAMES);
  return [
    ...[`start ${name}`, ...worked(random(8), random), ...one([[], [], ["fault exec"]])],
    ...[`exec ${name} ${one(["", "detached"])}`.trimEnd(), ...worked(random(3), random)],
    ...[one([`end-exec ${name} ${random(3)}`, `end ${name} ${random(3)}`, "pass"]), ...worked(random(3), random)],
  ];
}

/** At the end of each story. */
const EXECS = 2;

type One = <Value>(values: readonly Value[]) => Value;

function worked(times: number, random: (limit: number) => number): string[] {
  return Array.from({ length: times }, () => `work ${random(7)}`);
}

function drawCreation(name: string, images: string[], one: One): string {
  const wish = one([
    "",
    "",
    "port",
    "auto",
    "volume",
    "auto volume",
    "named",
    "auto named",
    "bound",
    "shared",
    "auto shared",
    "joining",
    "auto joining",
    "linked",
    "always linked",
    "stubborn",
    "stubborn",
    "always",
    "always port",
    "retry",
  ]);
  return `create ${name} ${one(images)} ${one(["none", "bridge"])} ${wish}`.trimEnd();
}

function drawLine(one: One, random: (limit: number) => number): string {
  const name = one(NAMES.slice(1));
  const image = one([...IMAGES.keys()]);
  return one([
    `start ${name}`,
    `start ${name}`,
    `start ${name}`,
    `start ${name}`,
    `end ${name} ${random(3)}`,
    `end ${name} ${random(3)}`,
    `stop ${name} ${one(["5", "0", "10"])}`,
    `stop ${name} ${one(["5", "0", "10"])}`,
    `kill ${name} ${one(["KILL", "HUP", "TERM"])}`,
    `restart ${name} ${one(["5", "0"])}`,
    `restart ${name} 10`,
    "prune",
    `clear ${one(["true", "false"])}`,
    `pause ${name}`,
    `update ${name} ${one(["64", "128"])}`,
    `unpause ${name}`,
    `remove ${name} ${one(["", "force=1", "v=1", "force=1&v=1"])}`.trimEnd(),
    `wait ${name} ${one(["not-running", "next-exit", "removed"])}`,
    `wait ${name} ${one(["not-running", "next-exit", "removed"])}`,
    `attach ${name}`,
    `commit ${name} ${one(["", "repo=made&tag=1"])}`.trimEnd(),
    `copy ${name} ${one(["in", "out"])}`,
    `copy ${name} ${one(["in", "out"])}`,
    `${one(["stat", "export", "changes"])} ${name}`,
    `commit ${name}`,
    `${one(["pull", "load", "save"])} ${image}`,
    `untag ${image}`,
    `hang up ${random(9)}`,
    `fault ${one(FAULTS)}`,
    "pass",
    "repeat",
  ]);
}

/** Would be rare at random. */
function failingStart(name: string, fault: string): string[] {
  return [`attach ${name}`, `fault ${fault}`, `start ${name}`, `wait ${name} not-running`];
}

/** Carries out one line. */
export function act(engine: Engine, memory: Memory, line: string): void {
  const [word = "", name = "", ...rest] = line.split(" ");
  const ask = (method: string, target: string, body?: unknown, image?: string) => {
    const about = memory.asks(engine, method, target, name);
    engine.request(method, target, { body, image, sent: (request) => memory.sent(request, about) });
  };
  switch (word) {
    case "watch":
      return ask("GET", "/events");
    case "create":
      return ask("POST", `/containers/create?name=${name}`, bodyOf(rest));
    case "start":
      return ask("POST", `/containers/${name}/start`);
    case "end":
      return endProcess(engine, name, Number(rest[0]));
    case "stop":
      return ask("POST", `/containers/${name}/stop?t=${rest[0]}`);
    case "restart":
      return ask("POST", `/containers/${name}/restart?t=${rest[0]}`);
    case "prune":
      return ask("POST", "/containers/prune");
    case "clear":
      return ask("POST", `/images/prune?filters={"dangling":["${name}"]}`);
    case "pause":
    case "unpause":
      return ask("POST", `/containers/${name}/${word}`);
    case "update":
      return ask("POST", `/containers/${name}/update`, { Memory: Number(rest[0]) << 20, MemorySwap: -1 });
    case "kill":
      return ask("POST", `/containers/${name}/kill?signal=${rest[0]}`);
    case "remove":
      return ask("DELETE", `/containers/${name}?${rest[0] ?? ""}`);
    case "wait":
      return ask("POST", `/containers/${name}/wait?condition=${rest[0]}`);
    case "attach":
      return ask("POST", `/containers/${name}/attach?stream=1&stdout=1`);
    case "exec":
      return startExec(engine, name, rest[0] === "detached");
    case "end-exec":
      return endExec(engine, name, Number(rest[0]));
    case "commit":
      return ask("POST", `/commit?container=${name}&${rest[0] ?? ""}`);
    case "copy":
      if (rest[0] === "in") return ask("PUT", `/containers/${name}/archive?path=/data`, "a tar");
      return ask("GET", `/containers/${name}/archive?path=/data`);
    case "stat":
      return ask("HEAD", `/containers/${name}/archive?path=/data`);
    case "export":
    case "changes":
      return ask("GET", `/containers/${name}/${word}`);
    case "pull":
      return ask("POST", `/images/create?fromImage=${name}&tag=1`);
    case "load":
      return ask("POST", "/images/load", undefined, name);
    case "save":
      return ask("GET", `/images/${name}:1/get`);
    case "untag":
      return ask("DELETE", `/images/${name}:1`);
    case "hang":
      return hangUp(engine, Number(rest[0]));
    case "fault":
      return void engine.world.faults.add(name);
    case "pass":
      return void engine.pass();
    case "repeat":
      return engine.repeat();
    case "work":
      return engine.choices > 0 ? engine.work(Number(name)) : undefined;
    default:
      throw new Error(`no such line: ${line}`);
  }
}

function bodyOf([image = "busybox", network = "none", ...wishes]: string[]): unknown {
  return {
    Image: image === "busybox" ? image : `${image}:1`,
    Cmd: wishes.includes("stubborn") ? ["stubborn"] : ["program"],
    Volumes: wishes.includes("volume") ? { "/data": {} } : {},
    HostConfig: {
      NetworkMode: network,
      Binds: wishes.includes("named") ? ["data:/named"] : [],
      Mounts: wishes.includes("bound") ? [{ Type: "bind", Source: "/srv", Target: "/srv" }] : [],
      VolumesFrom: wishes.includes("shared") ? ["anna"] : [],
      PidMode: wishes.includes("joining") ? "container:anna" : "",
      Links: wishes.includes("linked") ? ["anna:a"] : [],
      AutoRemove: wishes.includes("auto"),
      RestartPolicy: policyOf(wishes),
      PortBindings: wishes.includes("port") ? { "80/tcp": [{}] } : {},
    },
  };
}

function policyOf(wishes: string[]): unknown {
  if (wishes.includes("always")) return { Name: "always" };
  return wishes.includes("retry") ? { Name: "on-failure", MaximumRetryCount: 2 } : {};
}

function endProcess(engine: Engine, name: string, code: number): void {
  const container = containersOf(engine.records).find((one) => one.name === name);
  const process = container === undefined ? undefined : engine.world.running(container.id);
  if (process !== undefined && !process.frozen) engine.world.end(process, code);
}

/** Created and started at once, because an exec that was only created exists only in the engine. */
function startExec(engine: Engine, name: string, detached: boolean): void {
  let made: Request | undefined;
  const keep = (request: Request): void => void (made = request);
  engine.request("POST", `/containers/${name}/exec`, { body: { Cmd: ["more"], AttachStdout: true }, sent: keep });
  if (made?.status !== 201) return;
  const { Id } = JSON.parse(made.text) as { Id: string };
  engine.request("POST", `/exec/${Id}/start`, { body: { Detach: detached }, sent: () => {} });
}

function endExec(engine: Engine, name: string, code: number): void {
  const container = containersOf(engine.records).find((one) => one.name === name);
  const exec = [...engine.world.state.execs.values()].find((one) => one.container === container?.id && one.running);
  if (exec !== undefined && engine.world.running(exec.container)?.frozen === false) engine.world.endExec(exec, code);
}

function hangUp(engine: Engine, at: number): void {
  const open = engine.requests.filter((request) => !request.over && !request.gone);
  const request = open[at % Math.max(open.length, 1)];
  if (request !== undefined) engine.hangUp(request);
}
