// At a restart: of execs nothing was kept. Those that go on are let go on, and cleared away when they end.

import { FoundExec } from "../../../build/bindings/types";
import { Container } from "../container/container";
import { engine } from "../state";
import { reapExec } from "./finish";

/** After the containers are mended. */
export function mendExecs(found: FoundExec[]): void {
  for (let i = 0; i < found.length; i++) {
    const subject = found[i].subject;
    const container = engine.containers.find(subject.container);
    if (found[i].running && container !== null && goesOn(container, subject.run)) {
      engine.execs.adopted.set(found[i].exec, container);
    } else reapExec(found[i].exec);
  }
}

function goesOn(container: Container, run: u32): bool {
  return container.running && container.run == run;
}
