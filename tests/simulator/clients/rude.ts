// Lines of rude clients: they do not wait for answers, repeat requests, ask about missing objects, and hang up.

import type { Draw } from "../random.js";
import { drawOptions } from "./container-options.js";
import { drawExec } from "./exec-options.js";
import { IMAGES, drawImage, drawPulled } from "./image-choice.js";
import { BUILDS, BUILD_QUERIES } from "./build-contexts.js";
import type { Cast } from "./cast.js";

const ACTS = ["start", "stop", "kill", "pause", "unpause", "remove", "restart", "inspect", "top", "changes", "resize"];

export function drawRudeness(draw: Draw, cast: Cast): string[] {
  const name = draw.one(cast.known);
  const ref = draw.one([name, name, `#${name}`, `#${name}:12`, `#${name}:1`, "nobody"]);
  return draw.weighted<() => string[]>([
    [6, () => Array.from({ length: 2 + draw.below(3) }, () => `${draw.one(ACTS)} ${ref}`)],
    [3, () => twice(`create ${name} ${drawImage(draw)} ${drawOptions(draw, cast)}`)],
    [3, () => twice(`${draw.one(ACTS)} ${ref}`)],
    [3, () => [`remove ${ref} force=1`, `start ${ref}`]],
    [2, () => [`start ${ref}`, `remove ${ref} force=1`]],
    [2, () => [`stop ${ref} 5`, `start ${ref}`, `kill ${ref}`]],
    [2, () => [`rename ${ref} ${draw.one(cast.names)}`]],
    [4, () => [`hang-up ${draw.below(5)}`]],
    [1, () => ["stop-reading"]],
    [2, () => [`wait ${ref} ${draw.one(["not-running", "next-exit", "removed"])}`]],
    [2, () => [`attach ${ref} ${draw.one(["out", "all", "in"])}`, ...draw.one([["type hello"], ["half-close"], []])]],
    [1, () => [`attach-ws ${ref} ${draw.one(["out", "all"])} ${draw.one(["", "old"])}`.trimEnd(), ...leaving(draw)]],
    [1, () => [`attach ${ref} all`, ...leaving(draw)]],
    [2, () => [`logs ${ref} follow`, `hang-up ${draw.below(3)}`]],
    [2, () => [`exec ${ref} ${draw.one(["out", "in", "detached", "unstarted"])} ${draw.one([5, 300, -1])} 0`]],
    [1, () => ["exec-start last", "exec-start last"]],
    [1, () => [`exec ${ref} ${drawExec(draw)}`, "exec-resize"]],
    [1, () => [`copy-in ${ref} /`, `copy-in ${ref} / clash`]],
    [1, () => ["exec-inspect"]],
    [1, () => [`build ${draw.one(BUILDS)} ${draw.one(BUILD_QUERIES)}`, `hang-up ${draw.below(3)}`]],
    [1, () => [`session ${draw.one(BUILDS)}`, "grpc-door", `solve ${draw.one(BUILDS)} r`, `hang-up ${draw.below(3)}`]],
    [2, () => [`pull ${drawPulled(draw)}`, ...(draw.onceIn(2) ? ["hang-up 0"] : [])]],
    [1, () => [draw.one(["import tar", "import -", "import https://registry.example/v2/"]), ...leaving(draw)]],
    [1, () => [`prune ${draw.one(["containers", "images", "volumes", "build"])}`]],
    [2, () => twice(`${draw.one(["connect", "disconnect"])} ${ref} ${draw.one(["own", "own", "bridge"])}`)],
    [2, () => twice(draw.one(["make-network own", "remove-network own", "prune networks"]))],
    [1, () => [draw.one(["make-volume data", "remove-volume data", "make-volume", "remove-volume memory force=1"])]],
    [1, () => [`untag ${draw.one([...IMAGES, "made"])} force=1`]],
    [1, () => [`commit ${ref} ${draw.one(["made", ""])}`.trimEnd()]],
    [1, () => [`stats ${ref}`, ...(draw.onceIn(2) ? ["stop-reading"] : [])]],
    [1, () => [`copy-in ${ref} ${draw.one(["/", "/data", "/nowhere"])}`]],
    [1, () => [`export ${ref}`, "hang-up 0"]],
    [1, () => ["events", "stop-reading"]],
    ...(draw.onceIn(8) ? ([[1, () => [`oversized ${name}`]]] as const) : []),
    [1, () => [`events-until ${draw.one([1, 5, 100])}`, ...(draw.onceIn(2) ? [`hang-up ${draw.below(3)}`] : [])]],
    [1, () => [`tag ${drawImage(draw)} ${draw.one(["made", "busybox", "other"])}`]],
  ])();
}

function twice(line: string): string[] {
  return [line, line];
}

/** Detaches from a terminal, or closes its side of a stream. */
function leaving(draw: Draw): string[] {
  return draw.one([["detach"], ["half-close"], ["type hello", "half-close"], []]);
}
