// Draws what clients of BuildKit do: builds of several forms, alone and side by side, questions about the cache and the history,
// prunes, and clients that leave in the middle. Some stories have them. They have their own sequence, so that a seed's
// other draws stay the same.

import { Draw } from "../random.js";
import { BUILDS, UNDRAWN_BUILDS } from "./build-contexts.js";

const STORIES_ONCE_IN = 6;
/** How rare their lines are in a story. */
const ONCE_IN = [6, 12, 24];

/** They have connections of their own. */
const POLITE = "polite8";
const RUDE = "rude8";
const MOST_CONNECTIONS = 6;

const REFS = ["b1", "b2", "b3"];
const OUTPUTS = ["moby", "moby", "moby", "local", "tar", "docker", "oci", "image"];
/** Outputs that are images of the store, and may have names. */
const IMAGES = ["moby", "image"];
const FILTERS = ["", "", "type==regular", "type==exec.cachemount", "inuse", "shared", "private"];

/** A client that directs its build takes its result. */
const RETURN = /^(\S+) return-result (\S+)(?: made)?$/;
/** What it looks at before, in results that have such files or not. */
const LOOKS: readonly ((ref: string) => string)[] = [
  (ref) => `read-result ${ref} etc/motd`,
  (ref) => `read-result ${ref} /made`,
  (ref) => `read-result ${ref} etc`,
  (ref) => `list-result ${ref} .`,
  (ref) => `list-result ${ref} etc`,
  (ref) => `describe-result ${ref} etc/motd`,
  (ref) => `image-config ${ref} busybox`,
  (ref) => `image-config ${ref} hello-world`,
];

/** Builds whose output is named: options may follow. */
const WITH_OUTPUT = / solve (?:\S+ ){4}\S/;

/** Yields the lines of one client, or null if none of them does anything this time. */
export function* builderLines(seed: number): Generator<string[] | null, never> {
  const draw = new Draw(seed, "buildx");
  const caches = new Draw(seed, "caches in directories");
  const looks = new Draw(seed, "looks at results");
  const onceIn = draw.onceIn(STORIES_ONCE_IN) ? draw.one(ONCE_IN) : null;
  for (;;) {
    const lines = onceIn !== null && draw.onceIn(onceIn) ? drawBuilder(draw) : null;
    yield lines?.flatMap((line) => [...lookedAt(line, looks), cached(line, caches)]) ?? null;
  }
}

/** Some clients look at a result before they take it. */
function lookedAt(line: string, draw: Draw): string[] {
  const [, who, ref] = RETURN.exec(line) ?? [];
  if (ref === undefined) return [];
  const times = draw.one([0, 0, 1, 2, 3]);
  return Array.from({ length: times }, () => `${who} ${draw.one(LOOKS)(ref)}`);
}

/** Some builds put their cache into the clients' directory, or take it from there. */
function cached(line: string, draw: Draw): string {
  if (!WITH_OUTPUT.test(line)) return line;
  const option = draw.weighted([
    [8, ""],
    [1, " cached-outside"],
    [1, " from-outside"],
  ]);
  return `${line}${option}`;
}

function drawBuilder(draw: Draw): string[] {
  return draw.weighted<() => string[]>([
    [5, () => politely(["grpc-door", ...drawBuild(draw, draw.one(REFS))])],
    [4, () => politely(["grpc-door", ...drawDirected(draw, draw.one(REFS))])],
    [
      1,
      () => politely(["grpc-door", "past-builds", `past-builds ${draw.one(REFS)}`, ...drawChange(draw), "past-builds"]),
    ],
    [1, () => politely(["grpc-door", "cache-usage", ...drawPrune(draw), `cache-usage ${draw.one(FILTERS)}`.trimEnd()])],
    [1, () => politely(["grpc-door", `watch ${draw.one(REFS)}`])],
    [3, () => rudely(["grpc-door", ...drawBuild(draw, "r1"), ...drawBuild(draw, "r2"), ...drawEnd(draw)])],
    [2, () => rudely(["grpc-door", ...drawBuild(draw, "r1"), ...drawPrune(draw), "prune build all=1"])],
    [2, () => rudely(["grpc-door", ...drawDirected(draw, "r1"), ...drawEnd(draw)])],
    [1, () => rudely(["grpc-door", "hear-builds", ...drawChange(draw), `solve ${draw.one(BUILDS)} r1 -`])],
    [1, () => rudely([`solve ${draw.one(BUILDS)} r1 made`, "grpc-door", `solve ${draw.one(BUILDS)} r1 made`])],
    [1, () => rudely([`hang-up ${draw.below(3)}`])],
  ])();
}

/** Each line waits for the answer to the one before it. At the end all connections are closed. */
function politely(lines: readonly string[]): string[] {
  return [...lines, ...allLeft()].map((line) => `${POLITE} ${line}`);
}

function rudely(lines: readonly string[]): string[] {
  return [...allLeft(), ...lines].map((line) => (line.startsWith("work ") ? line : `${RUDE} ${line}`));
}

function allLeft(): string[] {
  return Array.from({ length: MOST_CONNECTIONS }, () => "hang-up 0");
}

/** A build that names its frontend at once. */
function drawBuild(draw: Draw, ref: string): string[] {
  const what = drawWhat(draw);
  const watch = draw.onceIn(2) ? [`watch ${ref}`] : [];
  const session = draw.onceIn(12) ? [] : [`session ${what}`];
  const way = draw.onceIn(5) ? "uploaded" : "-";
  if (draw.onceIn(10)) {
    const name = draw.one(["learner/ci:1", "registry.example/ci:1", "library/ci:1"]);
    return [...session, ...watch, `solve ${what} ${ref} ${name} - pushed`];
  }
  const output = draw.one(OUTPUTS);
  return [...session, ...watch, `solve ${what} ${ref} ${drawName(draw, output)} ${way} ${output}${drawOptions(draw)}`];
}

/** A build that its client directs. */
function drawDirected(draw: Draw, ref: string): string[] {
  const what = drawWhat(draw);
  const how = draw.one(["made", "made", "made", "failed", "nothing"]);
  const output = draw.one(OUTPUTS);
  const name = how === "made" ? drawName(draw, output) : "-";
  const watch = draw.onceIn(2) ? [`watch ${ref}`] : [];
  const asks = draw
    .one([[""], [""], ["", ""], [" uncached"], [" asked"], []])
    .map((more) => `ask-result ${ref}${more}`);
  const returns = [`return-result ${ref} ${how}`, ...(draw.onceIn(5) ? [`return-result ${ref}`] : [])];
  return [
    `session ${what}`,
    ...watch,
    `direct ${what} ${ref} ${name} ${output}${drawOptions(draw)}`,
    ...asks,
    ...returns,
  ];
}

function drawWhat(draw: Draw): string {
  return draw.onceIn(4) ? draw.one(UNDRAWN_BUILDS) : draw.one(BUILDS);
}

function drawName(draw: Draw, output: string): string {
  return IMAGES.includes(output) ? draw.one(["made", "made", "other", "-"]) : "-";
}

function drawOptions(draw: Draw): string {
  const words = draw.some([
    [6, "uncached"],
    [8, "internal"],
    [8, "cached-inside"],
  ]);
  return words.map((word) => ` ${word}`).join("");
}

function drawChange(draw: Draw): string[] {
  return [`update-build ${draw.one([...REFS, "r1", "r2"])} ${draw.one(["delete", "pin", "unpin"])}`];
}

function drawPrune(draw: Draw): string[] {
  return [`prune-cache ${draw.one(["all", "all", "any", "some"])} ${draw.one(FILTERS)}`.trimEnd()];
}

/** Whoever leaves takes a session, its calls, or all along. */
function drawEnd(draw: Draw): string[] {
  return draw.one([[], ["work 20", `hang-up ${draw.below(4)}`], [`hang-up ${draw.below(4)}`], ["hang-up 0"]]);
}
