// Runs the health checks of one run, one after the other: wait, check, evaluate the result.

import { Failure, Outcome } from "../../../build/bindings/types";
import { cancelTimer, wakeAfter } from "../ask";
import { Container } from "../container/container";
import { lengthOfRun } from "../container/exit/run-length";
import { emitContainer } from "../event/emit";
import { acting, HEALTH_CHECK } from "../origin";
import { Task } from "../task";
import { Health, HealthResult, STARTING } from "./health";
import { HealthPlan } from "./plan";
import { Probe, ProbeOwner } from "./probe";

export class Monitor extends Task implements ProbeOwner {
  readonly run: u32;
  private timer: u64 = 0;
  private probe: Probe | null = null;

  constructor(
    private readonly container: Container,
    private readonly plan: HealthPlan,
    private readonly health: Health,
  ) {
    super();
    this.run = container.run;
  }

  /** Waits for the next check; the first one also comes after an interval. */
  begin(): void {
    const wait = this.plan.waitFor(lengthOfRun(this.container), this.health.status == STARTING);
    this.timer = wakeAfter(this, 0, <u64>wait);
  }

  /** The container is no longer running, or is paused. */
  close(): void {
    if (this.timer != 0) cancelTimer(this.timer);
    const probe = this.probe;
    if (probe !== null) probe.giveUp();
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    acting.alone(HEALTH_CHECK);
    const probe = new Probe(this.container, this.plan, this);
    this.probe = probe;
    probe.make();
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  probed(result: HealthResult, begun: i64): void {
    const health = this.health;
    const before = health.status;
    this.probe = null;
    health.add(result);
    if (result.exitCode == 0) health.passed();
    else health.failed(begun < this.plan.startPeriod, this.plan.retries);
    if (health.status == before) this.container.touchLater();
    else {
      this.container.touch();
      emitContainer(this.container, `health_status: ${health.status}`);
    }
    this.begin();
  }
}

/** The monitors by container. */
export class Monitors {
  readonly byContainer: Map<string, Monitor> = new Map<string, Monitor>();
}

export const monitors: Monitors = new Monitors();
