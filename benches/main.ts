// `npm run bench [-- --quick] [QUESTION…]`: measures every question for our daemon and for the reference in the same
// run. Prints figures, ratios and missed goals.
import { cpus, release, totalmem } from "node:os";
import { realEngines, RunningEngine, startWithBusybox, type Engine } from "../tests/support/engines.js";
import { Processor } from "./processor.js";
import { ours, QUICK, REAL, round, type Answer, type Question } from "./question.js";
import { QUESTIONS } from "./questions.js";

const quick = process.argv.includes("--quick");
const named = process.argv.slice(2).filter((arg) => !arg.startsWith("-"));
const unknown = named.filter((name) => !(name in QUESTIONS));
if (unknown.length > 0) {
  console.error(`no such question: ${unknown.join(", ")}; there are: ${Object.keys(QUESTIONS).join(", ")}`);
  process.exit(1);
}

const running: RunningEngine[] = [];
const processors = new Map<RunningEngine, Processor>();
const short: string[] = [];
try {
  const asked = askable();
  if (asked.some(({ needsEngines }) => needsEngines)) await startEngines();
  console.log(`${cpus().length} × ${cpus()[0]?.model.trim()}, ${round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`);
  for (const { needsEngines, ask } of asked) {
    if (needsEngines && running.length === 0) continue;
    const before = busySeconds();
    for (const answer of await ask(running, quick ? QUICK : REAL)) print(answer);
    if (needsEngines) printBusy(before);
  }
} finally {
  for (const engine of running) {
    await engine.daemon.close();
    await processors.get(engine)?.close();
  }
}
console.log(
  short.length === 0 ? "all goals are reached" : `falls short:\n${short.map((line) => `  ${line}`).join("\n")}`,
);

/** The selected questions that can run here. For the others, prints why not. */
function askable(): Question[] {
  const wanted = Object.entries(QUESTIONS).filter(([name]) => named.length === 0 || named.includes(name));
  return wanted.flatMap(([name, question]) => {
    const missing = question.missing();
    if (missing !== null) console.log(`${name} is not asked: ${missing}`);
    return missing === null ? [question] : [];
  });
}

async function startEngines(): Promise<void> {
  for (const engine of realEngines()) {
    if (engine.missing === null) running.push(await startCounted(engine));
    else console.log(`${engine.kind} is left out: ${engine.missing}`);
  }
}

async function startCounted(engine: Engine): Promise<RunningEngine> {
  const started = new RunningEngine(engine, await startWithBusybox(engine, [], [], { runsInMemory: true }));
  const processor = Processor.of(started);
  if (processor !== null) processors.set(started, processor);
  return started;
}

function busySeconds(): Map<string, number> {
  return new Map([...processors].map(([{ kind }, processor]) => [kind, processor.seconds()]));
}

/** Prints the processor time of a whole question, including setup and cleanup. */
function printBusy(before: ReadonlyMap<string, number>): void {
  const spent = new Map([...busySeconds()].map(([kind, seconds]) => [kind, seconds - (before.get(kind) ?? 0)]));
  const parts = [...spent].map(([kind, seconds]) => `${kind} ${round(seconds)} s`);
  const [linux, reference] = [spent.get("linux"), spent.get("reference")];
  if (linux !== undefined && reference !== undefined) parts.push(`ratio ${round(linux / reference)}`);
  if (parts.length > 0) console.log(`  processor's time of the engines for this: ${parts.join(", ")}`);
}

function print({ question, unit, figures, goal, note }: Answer): void {
  const { linux, reference } = figures;
  const figure = ours(figures);
  const parts = Object.entries(figures).map(([kind, value]) => `${kind} ${round(value)} ${unit}`);
  if (linux !== undefined && reference !== undefined) parts.push(`ratio ${round(linux / reference)}`);
  if (goal !== undefined && figure !== undefined) {
    const reached = goal.reached(figure, reference);
    parts.push(`goal ${goal.says}: ${reached ? "reached" : "not reached"}`);
    if (!reached) short.push(`${question}: ${parts.join(", ")}`);
  }
  console.log(`${question}: ${parts.join(", ")}${note === undefined ? "" : ` (${note})`}`);
}
