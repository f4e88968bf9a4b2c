// What follows once all that a run used is given back. Starts and removals do, and they lead there themselves: so whoever
// gives it back knows of them by this alone, and core/assembly/engine.ts puts both together.

import { Container } from "../container";

class AfterRun {
  settle: (container: Container) => void = nobodyKnows;
}

export const afterRun: AfterRun = new AfterRun();

function nobodyKnows(_container: Container): void {
  assert(false, "nobody has said what follows a run");
}
