// POST /containers/{id}/update (surface §2.20): changes the settings
// that are given and not zero, in a running container at once.

import { readObject } from "../../api/json-body";
import { Call } from "../../call";
import { refusedField } from "../../json/asked";
import { Json } from "../../json/json";
import { badParameter, conflict, internal, notBuilt, Refusal } from "../../refusal";
import { engine } from "../../state";
import { Container } from "../container";
import { dropUnsupported, kernelFacts } from "../create/unsupported-limits";
import { nonsense } from "../create/validate";
import { deviceProblem } from "../create/validate-devices";
import { resourceProblem } from "../create/validate-resources";
import { Status } from "../lifecycle";
import { sharesProblem } from "../spec/cpu-shares";
import { documentOf } from "../spec/launch";
import { containerStore } from "../store";
import { limitRun } from "./limiting";
import { Updated } from "./update-end";
import { UPDATE, UPDATED_LISTS, UPDATED_NUMBERS, UPDATED_TEXTS } from "./update-table";

export function updateContainer(call: Call): Refusal | null {
  // A request without a body changes nothing (surface §2.2).
  const body = readObject(call, UPDATE);
  const wish = body.json;
  if (wish === null) return body.refusal;
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  const machine = engine.options.machine;
  const kernel = kernelFacts(machine);
  const warnings = dropUnsupported(wish, kernel);
  let problem = nonsense(Json.object(), wish);
  if (problem.length == 0) problem = resourceProblem(wish, <i32>machine.cpus, kernel, true);
  if (problem.length == 0) problem = deviceProblem(wish);
  if (problem.length > 0) return badParameter(problem);
  const field = refusedField(wish, UPDATE, "");
  return field.length > 0 ? notBuilt(field) : change(container, call, wish, warnings);
}

function change(container: Container, call: Call, wish: Json, warnings: string[]): Refusal | null {
  if (container.between) {
    container.queue.push(call);
    return null;
  }
  const host = documentOf(container.hostConfig);
  const problem = conflictOf(container, wish, host);
  if (problem.length > 0) return conflict(`Cannot update container ${container.id}: ${problem}`);

  const unset = container.running ? sharesProblem(wish.i64Of("CpuShares")) : "";
  if (unset.length > 0) return internal(`Cannot update container ${container.id}: ${unset}`);

  // Accepted from here on: the work continues even if the client disconnects.
  const changed = merge(wish, host);
  if (container.running) limitRun(container, changed, new Updated(container, call, changed, warnings));
  else new Updated(container, call, changed, warnings).take();
  return null;
}

/** Why the update is refused, in Docker's words. `host`: the container's current settings. */
function conflictOf(container: Container, wish: Json, host: Json): string {
  if (container.status == Status.Removing || container.status == Status.Dead) {
    return 'container is marked for removal and cannot be "update"';
  }
  const pairs: string[][] = [
    ["NanoCpus", "Nano CPUs", "CpuPeriod", "CPU Period"],
    ["NanoCpus", "Nano CPUs", "CpuQuota", "CPU Quota"],
    ["CpuPeriod", "CPU Period", "NanoCpus", "NanoCPUs"],
    ["CpuQuota", "CPU Quota", "NanoCpus", "NanoCPUs"],
  ];
  for (let i = 0; i < pairs.length; i++) {
    if (wish.i64Of(pairs[i][0]) > 0 && host.i64Of(pairs[i][2]) > 0) {
      return `Conflicting options: ${pairs[i][1]} cannot be updated as ${pairs[i][3]} has already been set`;
    }
  }
  const memory = wish.i64Of("Memory");
  if (memory != 0 && memory > host.i64Of("MemorySwap") && wish.i64Of("MemorySwap") == 0) {
    return (
      "Memory limit should be smaller than already set memoryswap limit, " + "update the memoryswap at the same time"
    );
  }
  const policy = policyOf(wish);
  if (container.autoRemove && policy.length > 0 && policy != "no") {
    return "Restart policy cannot be updated because AutoRemove is enabled for the container";
  }
  return "";
}

function policyOf(wish: Json): string {
  const policy = wish.entry("RestartPolicy");
  return policy === null ? "" : policy.stringOf("Name");
}

/** Changes `host` in place, and returns it. */
function merge(wish: Json, host: Json): Json {
  for (let i = 0; i < UPDATED_NUMBERS.length; i++) {
    const name = UPDATED_NUMBERS[i];
    if (wish.i64Of(name) != 0) host.set(name, wish.entry(name)!);
  }
  for (let i = 0; i < UPDATED_TEXTS.length; i++) {
    const name = UPDATED_TEXTS[i];
    if (wish.stringOf(name).length > 0) host.set(name, wish.entry(name)!);
  }
  for (let i = 0; i < UPDATED_LISTS.length; i++) {
    const list = wish.entry(UPDATED_LISTS[i]);
    if (list !== null && !list.isNull) host.set(UPDATED_LISTS[i], list);
  }
  const pids = wish.entry("PidsLimit");
  // A negative number means no limit, as 0 does.
  if (pids !== null && !pids.isNull) host.set("PidsLimit", Json.i64(max<i64>(0, wish.i64Of("PidsLimit"))));
  if (policyOf(wish).length > 0) host.set("RestartPolicy", wish.entry("RestartPolicy")!);
  return host;
}
