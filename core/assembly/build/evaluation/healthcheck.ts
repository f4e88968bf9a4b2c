// HEALTHCHECK: how a container's health is found out.

import { Json } from "../../json/json";
import { formatDuration } from "../../text/duration";
import { quoteRune } from "../../text/go-quote";
import { intervalOf, retriesOf } from "../dockerfile/check-rules";
import { Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { configStep, quotedList } from "./config-step";
import { Step } from "./step";

/** The flags and fields of a check, in the order of Docker's history. The last one needs Docker 25. */
const FLAGS: string[] = ["interval", "timeout", "start-period", "start-interval"];
const FIELDS: string[] = ["Interval", "Timeout", "StartPeriod", "StartInterval"];
const STARTING: i32 = 3;

export function evaluateHealthcheck(state: BuildState, instruction: Instruction): Step {
  const former = formerCheck(state);
  const test = testOf(instruction);
  const isCheck = test[0] != "NONE";
  const check = Json.object();
  check.set("Test", Json.strings(test));
  const times: string[] = [];
  for (let i = 0; i < FLAGS.length; i++) {
    const time = isCheck ? intervalOf(instruction, FLAGS[i]) : 0;
    setNumber(state, check, FIELDS[i], time, former);
    if (i != STARTING || time > 0) times.push(`"${formatDuration(time)}"`);
  }
  const retries = isCheck ? retriesOf(instruction) : 0;
  setNumber(state, check, "Retries", retries, former);
  state.config.set("Healthcheck", check);
  const step = configStep(state, `HEALTHCHECK &{${quotedList(test)} ${times.join(" ")} ${quoteRune(retries)}}`);
  const note = replacedNote(former);
  if (note.length > 0) step.notes.push(note);
  return step;
}

/** What a line does not say, an image has from the one before it; the history does not tell. */
function setNumber(state: BuildState, check: Json, field: string, given: i64, former: Json | null): void {
  const inherited = state.isCommit || former === null ? 0 : former.i64Of(field);
  if (given > 0 || inherited > 0) check.set(field, Json.i64(given > 0 ? given : inherited));
}

function formerCheck(state: BuildState): Json | null {
  const former = state.config.entry("Healthcheck");
  return former !== null && former.isObject ? former : null;
}

function testOf(instruction: Instruction): string[] {
  const kind = instruction.words[0].toUpperCase();
  if (kind == "NONE") return ["NONE"];
  return [instruction.isJson ? "CMD" : "CMD-SHELL"].concat(instruction.words.slice(1));
}

function replacedNote(former: Json | null): string {
  const test: string[] = former === null ? [] : former.stringsOf("Test");
  if (test.length == 0 || test[0] == "NONE") return "";
  return `Note: overriding previous HEALTHCHECK: [${test.join(" ")}]\n`;
}
