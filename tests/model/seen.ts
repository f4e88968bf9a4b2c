// What clients are told when they list or inspect containers. The texts say what is wrong; null if nothing is.

import type { Container } from "./container.js";
import { adopt } from "./facts.js";
import type { Answer, Known, Open } from "./known.js";
import { jsonOf } from "./request.js";
import type { Word } from "./words.js";

/** A container as it is shown. */
interface Shown {
  word: Word;
  /** As shown: with a slash. */
  names: string[];
  /** Null if it is not shown. */
  code: number | null;
}

export function judgeInspect(known: Known, { read, since }: Open, { status, body }: Answer): string | null {
  const told = jsonOf(body);
  if (status !== 200 || told === null) return null;
  const container = known.candidates(read.ref, since).find(({ id }) => id === told["Id"]);
  const names = [String(told["Name"])];
  if (container === undefined) return adopt(known, told["Id"] as string, String(told["Name"]).slice(1));
  const { Status, ExitCode } = told["State"] as { Status: Word; ExitCode: number };
  return judgeSeen(known, container, since, { word: Status, names, code: ExitCode });
}

export function judgeList(known: Known, { read, since }: Open, { status, body }: Answer): string | null {
  if (status !== 200 || read.query.get("all") !== "1" || read.query.has("filters") || body === null) return null;
  const list = JSON.parse(body) as { Id: string; Names: string[]; State: Word }[];
  for (const { Id, Names, State } of list) {
    const container = known.byId(Id);
    if (container === undefined) adopt(known, Id, String(Names[0]).slice(1));
    const wrong = container && judgeSeen(known, container, since, { word: State, names: Names, code: null });
    if (wrong !== undefined && wrong !== null) return wrong;
  }
  // A list may be limited to the newest ones.
  if (Number(read.query.get("limit")) > 0) return null;
  const missing = known.containers.find(
    (one) => one.id !== null && !list.some(({ Id }) => Id === one.id) && one.isCertain(since),
  );
  return missing === undefined ? null : `${missing.id} is missing`;
}

function judgeSeen(known: Known, container: Container, since: number, { word, names, code }: Shown): string | null {
  // The state after a host failure is not predicted.
  if (container.hasFailed) return null;
  const words = container.words.during(since);
  // An automatic start is shown before it happens.
  const isStarting = word === "restarting" && container.wish.policy !== "";
  if (!words.has(word) && !isStarting) return `${container.id} is ${[...words].join(" or ")}, not ${word}`;
  const wrong = judgeNames(known, container, since, names);
  if (wrong !== null) return wrong;
  const codes = container.codes.during(since);
  // A container that its policy could not restart has the exit code of that failure.
  const hasRuntime = known.runtimes.has(container, container.codes.since) === true;
  const isOver = hasRuntime && words.size === 1 && words.has("exited") && !container.hasFailed && !container.isFragile;
  if (code !== null && isOver && !codes.has(code)) return `it ended with ${[...codes].join(" or ")}, not ${code}`;
  container.seen(++known.now, since, word);
  return null;
}

/** A container without a requested name has the name that is shown. */
function judgeNames(known: Known, container: Container, since: number, names: readonly string[]): string | null {
  const may = container.names.during(since);
  if (may.has("")) {
    const others = [...may].filter((name) => name !== "");
    container.names.set(++known.now, [...others, ...names.map((name) => name.slice(1))]);
  } else if (!names.some((name) => may.has(name.slice(1)))) {
    return `${container.id} is called ${[...may].join(" or ")}`;
  }
  return null;
}
