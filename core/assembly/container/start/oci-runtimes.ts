// The OCI runtimes that containers can use: those that the host last
// reported. A configured runtime that does not work is not reported.

import { Members } from "../../json/members";
import { badParameter } from "../../refusal";
import { engine } from "../../state";
import { Container } from "../container";
import { OTHER_CODE, StartError } from "./start-error";

/** Names of the runtimes. */
export function runtimeNames(): string[] {
  const runtimes = engine.options.runtimes;
  const names: string[] = [];
  for (let i = 0; i < runtimes.length; i++) names.push(runtimes[i].name);
  return names;
}

/** Docker's refusal of an unknown runtime; empty if the runtime is available. */
export function runtimeProblem(name: string, names: string[]): string {
  return name.length == 0 || names.includes(name) ? "" : `unknown or invalid runtime name: ${name}`;
}

/** Why a container cannot be started because its runtime has disappeared since create; null if it is available. */
export function runtimeStartProblem(container: Container): StartError | null {
  const runtime = new Members(container.hostConfig).tree("Runtime");
  const text = runtime === null ? "" : runtimeProblem(runtime.text, runtimeNames());
  return text.length == 0 ? null : new StartError(text, OTHER_CODE, badParameter(text));
}
