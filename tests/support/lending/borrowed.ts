// An engine on loan to a test file. When it is returned, it must be in its former state: leftovers of tests are
// removed, and anything still left is a bug of the engine and fails the file.
import { request } from "node:http";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";
import { pause } from "../commands.js";
import type { DaemonProcess } from "../daemon-process.js";
import { EngineClient } from "../engine-client.js";
import { ROOT, type Engine } from "../engines.js";
import { HERE, type Netns } from "../netns.js";
import { stamp } from "../past-events.js";
import { clear } from "./clear.js";
import { beginCost, endCost } from "./cost.js";
import { madeSince, stateOf, type Loan, type State } from "./loan.js";

/** Processes end and mounts disappear a little after the answers to the requests. */
const SETTLES_WITHIN_MS = 60_000;
/** How much of the log is reported for an engine that cannot be lent again. */
const LOG_MAX = 2000;

/** `lender`: its socket. `settlesWithin`: milliseconds to wait for late cleanup when the engine is returned. */
export async function borrow(
  engine: Engine,
  lender: string,
  settlesWithin: number = SETTLES_WITHIN_MS,
): Promise<DaemonProcess> {
  const loan = JSON.parse(await ask(lender, "POST", engine.kind)) as Loan;
  beginCost(loan.pid);
  const since = await stamp(new EngineClient(loan.directories.socketPath));
  const daemon: DaemonProcess = {
    directories: loan.directories,
    netns: loan.netns === null ? HERE : netnsOf(loan.netns),
    socketPath: loan.directories.socketPath,
    pid: () => loan.pid,
    start: refuse,
    end: refuse,
    exitCode: () => null,
    log: () => readFileSync(loan.directories.logFile, "utf8"),
    close: () => giveBack(daemon, { ...loan, since }, lender, settlesWithin),
  };
  return daemon;
}

function netnsOf(place: NonNullable<Loan["netns"]>): Netns {
  const inside = (command: readonly string[]): string[] => ["nsenter", `--net=${place.path}`, "--", ...command];
  return { ...place, inside, close: refuse };
}

async function refuse(): Promise<never> {
  throw new Error("this engine is borrowed: a block that ends it or starts it needs its own (onOwnEngines)");
}

/** `since`: when it was lent, by the engine's clock. */
type Lent = Loan & { readonly since: string };

async function giveBack(daemon: DaemonProcess, loan: Lent, lender: string, settlesWithin: number): Promise<void> {
  try {
    const isClear = await clear(new EngineClient(daemon.socketPath), loan.state.images);
    const difference = await differenceAtRest(daemon, loan, isClear, settlesWithin);
    if (difference !== null) throw new Error(`the tests left in the engine on ${loan.kind}: ${difference}`);
    endCost(loan.pid);
    await ask(lender, isClear ? "PUT" : "DELETE", loan.id);
  } catch (error) {
    endCost(loan.pid);
    const log = daemon.log().slice(-LOG_MAX);
    await ask(lender, "DELETE", loan.id).catch(() => {});
    throw new Error(`${String(error)}\nits log ends: ${log}`, { cause: error });
  }
}

/** If not everything could be removed, only the machine is compared. */
async function differenceAtRest(
  daemon: DaemonProcess,
  { kind, state, since }: Lent,
  isClear: boolean,
  within: number,
): Promise<string | null> {
  const made = kind === "linux" ? await madeSince(new EngineClient(daemon.socketPath), since) : [];
  const deadline = Date.now() + within;
  for (;;) {
    const now = await stateOf(kind, daemon, made);
    const difference = differenceOf(state, isClear ? now : { ...state, machine: now.machine });
    if (difference === "") return null;
    if (Date.now() > deadline) return difference;
    await pause(100);
  }
}

/**
 * What was added and what is missing. On the machine, missing entries are no fault: they may belong to late cleanup
 * that was still pending before.
 */
function differenceOf(before: State, after: State): string {
  const come = linesMissingIn(linesOf(before), linesOf(after));
  const gone = linesMissingIn(linesOf({ ...after, machine: null }), linesOf({ ...before, machine: null }));
  return [...come.map((line) => `+ ${line}`), ...gone.map((line) => `- ${line}`)].join(", ");
}

function linesMissingIn(some: readonly string[], lines: readonly string[]): string[] {
  return lines.filter((line) => !some.includes(line));
}

function linesOf({ machine, ...engine }: State): string[] {
  const lists: [string, readonly string[]][] = [...Object.entries(engine), ...Object.entries(machine ?? {})];
  return lists.flatMap(([name, list]) => list.map((line) => `${name}: ${line}`));
}

/** Returns the answer's text. Starting an engine may take a while. */
function ask(lender: string, method: string, what: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "User-Agent": relative(ROOT, expect.getState().testPath ?? "") };
    const asked = request({ socketPath: lender, method, path: `/${what}`, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => (text += part));
      answer.on("end", () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    asked.on("error", reject);
    asked.end();
  });
}
