// The steps that the stages of a build are doing. A stage that comes to the same step of the same image waits for the other
// one, and finds it in the cache.

/** Waits for a step that another stage does. */
export interface StepWaiter {
  stepOver(): void;
}

export class StepsUnderway {
  private readonly waiting: Map<string, StepWaiter[]> = new Map<string, StepWaiter[]>();

  has(key: string): bool {
    return this.waiting.has(key);
  }

  begin(key: string): void {
    this.waiting.set(key, []);
  }

  wait(key: string, waiter: StepWaiter): void {
    this.waiting.get(key).push(waiter);
  }

  end(key: string): void {
    const waiters = this.waiting.get(key);
    this.waiting.delete(key);
    for (let i = 0; i < waiters.length; i++) waiters[i].stepOver();
  }
}
