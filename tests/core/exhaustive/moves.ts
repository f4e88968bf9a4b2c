// What can happen next in a state: any request of a client, any work of the host in any order, the end of a process,
// the passing of time. Each move is a line of a story.

import type { HostEffect } from "../../../hosts/shared/outputs.js";
import type { Engine } from "../crash/engine.js";
import { containersOf } from "../crash/memory.js";

export const NAMES: readonly string[] = ["anna", "bert"];
export const COMMANDS: readonly string[] = ["create", "start", "stop", "kill", "pause", "unpause", "remove"];

/** Exit code of a process that ends by itself. */
const OWN_CODE = 3;

export interface Move {
  line: string;
  /** Whether it happens by itself sooner or later. */
  isWork: boolean;
  make: (engine: Engine) => void;
}

/** Without clients. */
export function hostMoves(engine: Engine): Move[] {
  const moves: Move[] = [];
  for (let at = 0; at < engine.choices; at++)
    moves.push({ line: `work ${at}`, isWork: true, make: (made) => made.work(at) });
  engine.untold.forEach((effect, at) => {
    if (ends(engine, effect))
      moves.push({ line: `perform ${at}`, isWork: true, make: (made) => made.perform(made.untold[at] as HostEffect) });
  });
  for (const { id, name } of containersOf(engine.records)) {
    if (engine.world.running(id)?.frozen !== false) continue;
    moves.push({ line: `end ${name} ${OWN_CODE}`, isWork: false, make: (made) => end(made, id) });
  }
  if (engine.hasTimers) moves.push({ line: "pass", isWork: true, make: (made) => void made.pass() });
  return moves;
}

export function clientMoves(): Move[] {
  return NAMES.flatMap((name) =>
    COMMANDS.map((command) => ({
      line: `${command} ${name}`,
      isWork: false,
      make: (engine: Engine) => ask(engine, command, name),
    })),
  );
}

/** A signal that ends a process: the end may be reported before the signal's completion. */
function ends(engine: Engine, { to, command }: HostEffect): boolean {
  if (to !== "processes" || command.tag !== "signal") return false;
  return engine.world.running(command.val.subject.container) !== undefined;
}

function end(engine: Engine, id: string): void {
  const process = engine.world.running(id);
  if (process !== undefined) engine.world.end(process, OWN_CODE);
}

function ask(engine: Engine, command: string, name: string): void {
  const body = command === "create" ? { Image: "busybox", Cmd: ["program"] } : undefined;
  engine.request(...targetOf(command, name), { body, sent: () => {} });
}

function targetOf(command: string, name: string): [method: string, target: string] {
  if (command === "create") return ["POST", `/containers/create?name=${name}`];
  if (command === "remove") return ["DELETE", `/containers/${name}`];
  return ["POST", `/containers/${name}/${command}`];
}
