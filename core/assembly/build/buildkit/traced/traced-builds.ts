// Builds of `POST /build` with `version=2` that are under way, by the ids with which their clients cancel them.

export abstract class TracedBuild {
  constructor(
    /** Empty: nobody can cancel it. */
    readonly id: string,
  ) {}

  abstract cancel(): void;
}

class TracedBuilds {
  private readonly byId: Map<string, TracedBuild> = new Map<string, TracedBuild>();

  /** Of two with the same id, the newer one is meant. */
  add(build: TracedBuild): void {
    if (build.id.length > 0) this.byId.set(build.id, build);
  }

  drop(build: TracedBuild): void {
    if (this.byId.has(build.id) && this.byId.get(build.id) === build) this.byId.delete(build.id);
  }

  find(id: string): TracedBuild | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }
}

export const tracedBuilds: TracedBuilds = new TracedBuilds();
