// Lines of well-behaved clients: the requests of a docker CLI command, each after the answer to the one before.

import type { Draw } from "../random.js";
import { ACCOUNT } from "../../../hosts/simulated/registry/images.js";
import { drawOptions } from "./container-options.js";
import { drawExec } from "./exec-options.js";
import { IMAGES, drawImage, drawPulled } from "./image-choice.js";
import { BUILDS, BUILD_QUERIES } from "./build-contexts.js";
import type { Cast } from "./cast.js";
import { drawPart } from "./crowds.js";

/** The requests of one command. */
export function drawCommand(draw: Draw, cast: Cast): string[] {
  const name = draw.one(cast.known);
  return draw.weighted<() => string[]>([
    [10, () => run(draw, cast, cast.newcomer(draw, name))],
    [4, () => [`create ${cast.newcomer(draw, name)} ${drawImage(draw)} ${drawOptions(draw, cast)}`]],
    ...(cast.isCrowd ? ([[8, () => [drawPart(draw, cast)]]] as const) : []),
    [6, () => [`start ${name}`]],
    [4, () => [`stop ${name} ${draw.one([0, 1, 2])}`]],
    [2, () => [`restart ${name} ${draw.one([0, 1])}`]],
    [3, () => [`kill ${name} ${draw.one(["KILL", "TERM", "HUP"])}`]],
    [3, () => [...running(draw, name), `pause ${name}`, ...seen(draw, name), `unpause ${name}`]],
    [5, () => [`remove ${name} ${draw.one(["", "force=1", "v=1", "force=1&v=1"])}`.trimEnd()]],
    [2, () => ["list", `inspect ${name}`]],
    [1, () => [`logs ${name} ${draw.one(["", "follow"])}`.trimEnd()]],
    [3, () => [...running(draw, name), `exec ${name} ${drawExec(draw)}`]],
    [1, () => [...running(draw, name), `exec ${name} in,tty -1 0`, "exec-resize", draw.one(["detach", "half-close"])]],
    [1, () => [`login ${draw.one([ACCOUNT.password, "guessed"])}`]],
    [1, () => [draw.one(["pull-all hello-world", "search box"])]],
    [2, () => [`pull ${drawPulled(draw)}`]],
    [1, () => [draw.one(["load busybox", "import tar repo=made"])]],
    [2, () => [`build ${draw.one(BUILDS)} ${draw.one(BUILD_QUERIES)}`]],
    [1, () => solved(draw)],
    [2, () => push(draw)],
    [1, () => [`image ${drawImage(draw)} history`, `save ${drawImage(draw)}`, `distribution ${drawPulled(draw)}`]],
    [1, () => [`commit ${name} made`, "images"]],
    [
      1,
      () => [
        `copy-in ${name} /`,
        `copy-out ${name} /data/file${draw.one(["", " gzip", " deflate"])}`,
        `changes ${name}`,
      ],
    ],
    [1, () => [`untag ${draw.one([...IMAGES, "made"])}`]],
    [1, () => [`prune ${draw.one(["containers", "images", "volumes", "networks", "build"])}`]],
    [2, () => [`${draw.one(["make-volume", "remove-volume"])} data`]],
    [
      4,
      () => [
        draw.one([
          "make-network own",
          drawKind(draw),
          "make-network own eth0",
          draw.one(["remove-network own", "remove-network own", "remove-network other"]),
        ]),
      ],
    ],
    [
      3,
      () => [...running(draw, name), `${draw.one(["connect", "connect", "disconnect"])} ${name} ${drawNetwork(draw)}`],
    ],
    [1, () => [`stats ${name} once`, `top ${name}`]],
    [1, () => ["info", "version", "usage"]],
    [1, () => [`update ${name} ${draw.one([64, 128])}`]],
    [1, () => [draw.one(["events", "events 100", "past", "events-until 2"])]],
  ])();
}

/** A second network, so that two do or do not reach each other, or one of another kind. */
function drawKind(draw: Draw): string {
  const kinds = [
    "- routed",
    "- routed six",
    "- six",
    "- nat-unprotected six",
    "- internal six isolated",
    "- internal",
    "- apart six",
  ];
  return `make-network ${draw.one(["own", "other"])} ${draw.one(kinds)}`;
}

function drawNetwork(draw: Draw): string {
  return draw.one(["own", "own", "other", "bridge", "none"]);
}

/** To a repository of the account's own, and sometimes to one of others. */
function push(draw: Draw): string[] {
  const name = draw.one(["learner/ci", "learner/ci", "learner/web", "registry.example/ci", "library/ci"]);
  const password = draw.onceIn(6) ? "guessed" : ACCOUNT.password;
  return [`tag ${drawImage(draw)} ${name} 1`, `push ${name} 1 ${password}`];
}

/** A build by BuildKit: a connection for calls, a session, perhaps a watcher, and the call. Then both connections end. */
function solved(draw: Draw): string[] {
  const what = draw.one(BUILDS);
  const ref = draw.one(["one", "two"]);
  const watch = draw.onceIn(2) ? [`watch ${ref}`] : [];
  return ["grpc-door", `session ${what}`, ...watch, `solve ${what} ${ref} made`, "hang-up 0", "hang-up 0"];
}

/** Usually starts the container first. */
function running(draw: Draw, name: string): string[] {
  return draw.onceIn(3) ? [] : [`start ${name}`];
}

function seen(draw: Draw, name: string): string[] {
  return draw.onceIn(2) ? [`inspect ${name}`] : [];
}

/** `docker run`: attached or detached, removed automatically or by the user. */
function run(draw: Draw, cast: Cast, name: string): string[] {
  const detached = draw.onceIn(2);
  const ref = draw.one([name, `#${name}`]);
  return [
    `create ${name} ${drawImage(draw)} ${drawOptions(draw, cast)}`,
    ...(detached ? [] : [`attach ${ref} ${draw.one(["out", "all"])}`]),
    ...(detached ? [] : [`wait ${ref} ${draw.one(["next-exit", "removed"])}`]),
    `start ${ref}`,
    ...(draw.onceIn(3) ? [`wait ${ref}`] : []),
    ...(draw.onceIn(3) ? [`remove ${ref} ${draw.one(["", "force=1"])}`.trimEnd()] : []),
  ];
}
