// The steps that the stages of a build are doing. A stage that comes to the same step of the same image waits for the other
// one, and finds it in the cache.

export class StepsUnderway {
  private readonly keys: Set<string> = new Set<string>();

  has(key: string): bool {
    return this.keys.has(key);
  }

  begin(key: string): void {
    this.keys.add(key);
  }

  end(key: string): void {
    this.keys.delete(key);
  }
}
