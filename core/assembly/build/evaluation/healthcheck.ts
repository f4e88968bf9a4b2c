// HEALTHCHECK: how a container's health is found out.

import { Json } from "../../json/json";
import { formatDuration } from "../../text/duration";
import { quoteRune } from "../../text/go-quote";
import { intervalOf, retriesOf } from "../dockerfile/check-rules";
import { Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { configStep, quotedList } from "./config-step";
import { Step } from "./step";

export function evaluateHealthcheck(state: BuildState, instruction: Instruction): Step {
  const note = replacedNote(state);
  const test = testOf(instruction);
  const isCheck = test[0] != "NONE";
  const interval = isCheck ? intervalOf(instruction, "interval") : 0;
  const timeout = isCheck ? intervalOf(instruction, "timeout") : 0;
  const period = isCheck ? intervalOf(instruction, "start-period") : 0;
  const starting = isCheck ? intervalOf(instruction, "start-interval") : 0;
  const retries = isCheck ? retriesOf(instruction) : 0;
  const check = Json.object();
  check.set("Test", Json.strings(test));
  if (interval > 0) check.set("Interval", Json.i64(interval));
  if (timeout > 0) check.set("Timeout", Json.i64(timeout));
  if (period > 0) check.set("StartPeriod", Json.i64(period));
  if (starting > 0) check.set("StartInterval", Json.i64(starting));
  if (retries > 0) check.set("Retries", Json.i64(retries));
  state.config.set("Healthcheck", check);
  const times = [interval, timeout, period];
  if (starting > 0) times.push(starting);
  const step = configStep(state, `HEALTHCHECK &{${quotedList(test)} ${timesOf(times)} ${quoteRune(retries)}}`);
  if (note.length > 0) step.notes.push(note);
  return step;
}

function testOf(instruction: Instruction): string[] {
  const kind = instruction.words[0].toUpperCase();
  if (kind == "NONE") return ["NONE"];
  return [instruction.isJson ? "CMD" : "CMD-SHELL"].concat(instruction.words.slice(1));
}

function replacedNote(state: BuildState): string {
  const former = state.config.entry("Healthcheck");
  const test: string[] = former === null || !former.isObject ? [] : former.stringsOf("Test");
  if (test.length == 0 || test[0] == "NONE") return "";
  return `Note: overriding previous HEALTHCHECK: [${test.join(" ")}]\n`;
}

/** `"5s" "0s" "1m0s"`; Docker before 25 knows no interval while starting, so it is shown only if it is there. */
function timesOf(times: i64[]): string {
  const shown: string[] = [];
  for (let i = 0; i < times.length; i++) shown.push(`"${formatDuration(times[i])}"`);
  return shown.join(" ");
}
