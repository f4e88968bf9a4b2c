// Which containers are monitored: those that run, are not paused and have health checks. Looked at when a step has
// changed a container, whatever changed it.

import { changedContainers, Container } from "../container/container";
import { Status } from "../container/lifecycle";
import { containerStore } from "../container/store";
import { Health, UNHEALTHY } from "./health";
import { Monitor, monitors } from "./monitor";
import { planOf } from "./plan";

/** At the end of every step, before records are put. */
export function watchChanged(): void {
  for (let i = 0; i < changedContainers.length; i++) watch(changedContainers[i]);
}

/** After a restart of the engine, where nothing need have changed. */
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

/** Of one that does not run nobody knows how it is, as one that ended while no engine ran. */
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
  // One that was only paused stays what that has made of it until the next check.
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
