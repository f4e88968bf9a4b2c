// Which OCI runtimes containers can be run with: those that the host last offered. One that was configured and cannot be
// used is not among them.

import { Members } from "../../json/members";
import { badParameter } from "../../refusal";
import { engine } from "../../state";
import { Container } from "../container";
import { OTHER_CODE, StartError } from "./start-error";

/** Their names. */
export function runtimeNames(): string[] {
  const runtimes = engine.options.runtimes;
  const names: string[] = [];
  for (let i = 0; i < runtimes.length; i++) names.push(runtimes[i].name);
  return names;
}

/** Docker's refusal of a runtime that is not among those, or empty. */
export function runtimeProblem(name: string, names: string[]): string {
  return name.length == 0 || names.includes(name) ? "" : `unknown or invalid runtime name: ${name}`;
}

/** Why a container cannot be started whose runtime was there when it was created, or null. */
export function runtimeStartProblem(container: Container): StartError | null {
  const runtime = new Members(container.hostConfig).tree("Runtime");
  const text = runtime === null ? "" : runtimeProblem(runtime.text, runtimeNames());
  return text.length == 0 ? null : new StartError(text, OTHER_CODE, badParameter(text));
}
