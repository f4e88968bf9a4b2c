// At a restart: of execs nothing was kept. Those that go on are let go on, and cleared away when they end.

import { FoundExec } from "../../../build/bindings/types";
import { Container } from "../container/container";
import { tellAdopted, tellSwept } from "../records/found";
import { engine } from "../state";
import { reapExec } from "./finish";

/** After the containers are mended. */
export function mendExecs(found: FoundExec[]): void {
  for (let i = 0; i < found.length; i++) {
    const subject = found[i].subject;
    const container = engine.containers.find(subject.container);
    if (found[i].running && container !== null && goesOn(container, subject.run)) {
      tellAdopted(`exec ${found[i].exec} in container ${container.id}`, "it goes on");
      engine.execs.adopted.set(found[i].exec, container);
      continue;
    }
    if (engine.setAside.hasContainer(subject.container)) continue;
    tellSwept(`exec ${found[i].exec} in container ${subject.container}`, "it has ended, or its run has");
    reapExec(found[i].exec);
  }
}

function goesOn(container: Container, run: u32): bool {
  return container.running && container.run == run;
}
