// `npm run bench [-- --quick] [QUESTION…]`: asks every question of our daemon and of the reference, in the same run, and
// prints figures, ratios and what falls short of its goal.
import { cpus, release, totalmem } from "node:os";
import { realEngines, RunningEngine, startWithBusybox } from "../tests/support/engines.js";
import { QUICK, REAL, round, type Answer } from "./question.js";
import { QUESTIONS } from "./questions.js";

const quick = process.argv.includes("--quick");
const asked = process.argv.slice(2).filter((arg) => !arg.startsWith("-"));
const unknown = asked.filter((name) => !(name in QUESTIONS));
if (unknown.length > 0) {
  console.error(`no such question: ${unknown.join(", ")}; there are: ${Object.keys(QUESTIONS).join(", ")}`);
  process.exit(1);
}

const running: RunningEngine[] = [];
const short: string[] = [];
try {
  for (const engine of realEngines()) {
    if (engine.missing === null) running.push(new RunningEngine(engine, await startWithBusybox(engine)));
    else console.log(`${engine.kind} is left out: ${engine.missing}`);
  }
  console.log(`${cpus().length} × ${cpus()[0]?.model.trim()}, ${round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`);
  for (const [name, question] of Object.entries(QUESTIONS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    for (const answer of await question(running, quick ? QUICK : REAL)) print(answer);
  }
} finally {
  for (const engine of running) await engine.daemon.close();
}
console.log(
  short.length === 0 ? "all goals are reached" : `falls short:\n${short.map((line) => `  ${line}`).join("\n")}`,
);

function print({ question, unit, figures, goal, note }: Answer): void {
  const { linux, reference } = figures;
  const parts = Object.entries(figures).map(([kind, figure]) => `${kind} ${round(figure)} ${unit}`);
  if (linux !== undefined && reference !== undefined) parts.push(`ratio ${round(linux / reference)}`);
  if (goal !== undefined && linux !== undefined) {
    const reached = goal.reached(linux, reference);
    parts.push(`goal ${goal.says}: ${reached ? "reached" : "not reached"}`);
    if (!reached) short.push(`${question}: ${parts.join(", ")}`);
  }
  console.log(`${question}: ${parts.join(", ")}${note === undefined ? "" : ` (${note})`}`);
}
