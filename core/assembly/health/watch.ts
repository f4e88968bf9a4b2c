// Decides which containers are monitored: those that are running, not paused, and have health checks. It is called
// after every step for the containers that the step has changed.

import { changedContainers, Container } from "../container/container";
import { Status } from "../container/lifecycle";
import { containerStore } from "../container/store";
import { Health, UNHEALTHY } from "./health";
import { Monitor, monitors } from "./monitor";
import { planOf } from "./plan";

/** Call this at the end of every step, before records are written. */
export function watchChanged(): void {
  for (let i = 0; i < changedContainers.length; i++) watch(changedContainers[i]);
}

/** Call this after a restart of the engine, when no container need have changed. */
export function watchAll(): void {
  const containers = containerStore.all();
  for (let i = 0; i < containers.length; i++) watch(containers[i]);
}

function watch(container: Container): void {
  const runs = container.status == Status.Running;
  if (monitors.byContainer.has(container.id)) {
    const monitor = monitors.byContainer.get(container.id);
    if (runs && monitor.run == container.run) return;
    monitors.byContainer.delete(container.id);
    monitor.close();
  }
  if (runs) begin(container);
  else lose(container);
}

/** A container that is not running counts as unhealthy, even one that ended while no engine ran. */
function lose(container: Container): void {
  const health = container.health;
  if (health === null || health.status == UNHEALTHY) return;
  health.status = UNHEALTHY;
  container.touchLater();
}

function begin(container: Container): void {
  const plan = planOf(container);
  if (plan === null) return;
  const health = healthOf(container);
  // A container that was only paused keeps its state until the next check.
  if (container.healthRun != container.run) health.begin();
  container.healthRun = container.run;
  container.touchLater();
  const monitor = new Monitor(container, plan, health);
  monitors.byContainer.set(container.id, monitor);
  monitor.begin();
}

function healthOf(container: Container): Health {
  const known = container.health;
  if (known !== null) return known;
  const health = new Health();
  container.health = health;
  return health;
}
