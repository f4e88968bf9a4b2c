// At a restart: of execs nothing was kept. Those that go on are let go on, and cleared away when they end.

import { FoundExec, ProcessCommandReapExec } from "../../../build/bindings/types";
import { askProcesses } from "../ask";
import { Container } from "../container/container";
import { Ignored } from "../ignored";
import { engine } from "../state";

/** After the containers are mended. */
export function mendExecs(found: FoundExec[]): void {
  for (let i = 0; i < found.length; i++) {
    const subject = found[i].subject;
    const container = engine.containers.find(subject.container);
    if (found[i].running && container !== null && goesOn(container, subject.run)) {
      engine.execs.adopted.set(found[i].exec, container);
    } else askProcesses(new Ignored(), 0, new ProcessCommandReapExec(found[i].exec));
  }
}

function goesOn(container: Container, run: u32): bool {
  return container.running && container.run == run;
}
