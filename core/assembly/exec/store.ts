// All execs by full id; prefixes are not accepted (surface §2.4).

import { Container } from "../container/container";
import { Status } from "../container/lifecycle";
import { conflict, notFound, Refusal } from "../refusal";
import { refuseInactive } from "./active";
import { Exec, Stage } from "./exec";
import { putExec } from "./record";

/** The exec that was found, or the reason why none was. */
export class ExecLookup {
  constructor(
    readonly exec: Exec | null,
    readonly refusal: Refusal | null,
  ) {}
}

export class ExecStore {
  private readonly byId: Map<string, Exec> = new Map<string, Exec>();
  /** Containers by id of a running exec that an earlier instance started: nothing else is known of such an exec. */
  readonly adopted: Map<string, Container> = new Map<string, Container>();
  /** Used during `open`: ids of those that the host has not found. */
  unseen: string[] = [];
  /** The timer of the garbage collection is set. */
  collecting: bool = false;

  /** Writes the records of all execs that were reported as started but not as ended. */
  putAll(): void {
    const all = this.all();
    for (let i = 0; i < all.length; i++) {
      const exec = all[i];
      if (exec.stage == Stage.Starting || exec.stage == Stage.Running) putExec(exec.id, exec.container, exec.run);
    }
    const ids = this.adopted.keys();
    for (let i = 0; i < ids.length; i++) {
      const container = this.adopted.get(ids[i]);
      putExec(ids[i], container, container.run);
    }
  }

  add(exec: Exec): void {
    this.byId.set(exec.id, exec);
  }

  remove(exec: Exec): void {
    this.byId.delete(exec.id);
  }

  find(id: string): Exec | null {
    return this.byId.has(id) ? this.byId.get(id) : null;
  }

  all(): Exec[] {
    return this.byId.values();
  }

  lookUp(id: string): ExecLookup {
    const exec = this.find(id);
    // An exec is gone with its container.
    if (exec !== null && exec.container.status != Status.Removed) return new ExecLookup(exec, null);
    return new ExecLookup(null, notFound(`No such exec instance: ${id}`));
  }

  /** Looks up an exec for a request that needs a running container. */
  lookUpActive(id: string): ExecLookup {
    const lookup = this.lookUp(id);
    const exec = lookup.exec;
    if (exec === null) return lookup;
    const problem = refuseInactive(exec.container, exec.container.id);
    return problem.length > 0 ? new ExecLookup(null, conflict(problem)) : lookup;
  }

  /** The execs of a container, the oldest first. */
  of(container: Container): Exec[] {
    const found: Exec[] = [];
    const all = this.byId.values();
    for (let i = 0; i < all.length; i++) if (all[i].container === container) found.push(all[i]);
    return found;
  }
}

export const execStore: ExecStore = new ExecStore();
