// Which OCI runtimes containers can be run with: those that the host last offered. One that was configured and cannot be
// used is not among them.

import { Members } from "../json/members";
import { badParameter } from "../refusal";
import { engine } from "../state";
import { Container } from "./container";
import { OTHER_CODE, StartError } from "./start-error";

/** Docker's refusal of a runtime that is not there, or empty. No name: the default one is meant. */
export function runtimeProblem(name: string): string {
  const options = engine.options;
  const wanted = name.length > 0 ? name : options.defaultRuntime;
  if (wanted.length == 0) return "";
  for (let i = 0; i < options.runtimes.length; i++) if (options.runtimes[i].name == wanted) return "";
  return `unknown or invalid runtime name: ${wanted}`;
}

/** Why a container cannot be started whose runtime was there when it was created, or null. */
export function runtimeStartProblem(container: Container): StartError | null {
  const runtime = new Members(container.hostConfig).tree("Runtime");
  const text = runtimeProblem(runtime === null ? "" : runtime.text);
  return text.length == 0 ? null : new StartError(text, OTHER_CODE, badParameter(text));
}
