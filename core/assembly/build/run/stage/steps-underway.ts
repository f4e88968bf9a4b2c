// The steps that builds are doing. Whoever comes to the same step of the same image waits for the other one, in the same build
// or in another, and then finds it in the cache. If the other build is cancelled, the first that waits does the step. If the
// step has failed there, all that wait do it themselves: it would fail again, and each client sees what its command writes.
// A pull of an image is such a step, too (`base/base-pull.ts`).

import { acting, Origin } from "../../../origin";

/** Waits for an equal step. */
export interface TurnClient {
  /** That one is over. It is told at the end of the engine's step, unless the client has gone on before. */
  turnCame(): void;
}

class UnderwayStep {
  isOver: bool = false;
  failed: bool = false;
  readonly waiting: StepTurn[] = [];

  constructor(readonly key: string) {}
}

/** What one step has to do with others: it waits for an equal one, or others wait for it. */
export class StepTurn {
  private own: UnderwayStep | null = null;
  private awaited: UnderwayStep | null = null;
  /** The one that it has waited for has failed. */
  private alone: bool = false;
  /** On whose behalf it goes on. */
  private origin: Origin | null = null;
  private client: TurnClient | null = null;

  /** Whether an equal step is under way. If so, it waits for that one from now on. */
  waitsFor(key: string, client: TurnClient): bool {
    const step = stepsUnderway.find(key);
    if (step === null || this.alone) return false;
    this.client = client;
    this.awaited = step;
    this.origin = acting.origin;
    step.waiting.push(this);
    return true;
  }

  get canGoOn(): bool {
    const awaited = this.awaited;
    return awaited !== null && awaited.isOver;
  }

  goOn(): void {
    this.alone = this.awaited!.failed;
    this.leave();
  }

  /** Others wait for it from now on, unless there is an equal one already. */
  begin(key: string): void {
    if (this.own === null && stepsUnderway.find(key) === null) this.own = stepsUnderway.begin(key);
  }

  /** It is over. Returns whether others may have waited for it. */
  end(failed: bool): bool {
    const own = this.own;
    this.own = null;
    if (own === null) return false;
    own.failed = failed;
    stepsUnderway.end(own);
    return true;
  }

  cancel(): void {
    this.leave();
    this.end(false);
  }

  tell(): void {
    if (!this.canGoOn) return;
    acting.origin = this.origin!;
    this.client!.turnCame();
  }

  private leave(): void {
    const awaited = this.awaited;
    this.awaited = null;
    const at = awaited === null ? -1 : awaited.waiting.indexOf(this);
    if (at >= 0) awaited!.waiting.splice(at, 1);
  }
}

class StepsUnderway {
  private readonly byKey: Map<string, UnderwayStep> = new Map<string, UnderwayStep>();
  /** Those that wait for a step that is over. */
  private due: StepTurn[] = [];

  find(key: string): UnderwayStep | null {
    return this.byKey.has(key) ? this.byKey.get(key) : null;
  }

  begin(key: string): UnderwayStep {
    const step = new UnderwayStep(key);
    this.byKey.set(key, step);
    return step;
  }

  end(step: UnderwayStep): void {
    step.isOver = true;
    this.byKey.delete(step.key);
    this.due = this.due.concat(step.waiting);
  }

  /** At the end of an engine's step: what the other build has made is whole by then, or it is gone. */
  tellDue(): void {
    while (this.due.length > 0) this.due.shift().tell();
  }
}

export const stepsUnderway: StepsUnderway = new StepsUnderway();
