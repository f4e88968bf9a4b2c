// The hook for what follows when all resources of a run are released. Restarts and removals follow, and their code
// leads back to the release. To avoid an import cycle, the release knows only this hook, and core/assembly/engine.ts
// connects both.

import { Container } from "../container";

class AfterRun {
  settle: (container: Container) => void = nobodyKnows;
}

export const afterRun: AfterRun = new AfterRun();

function nobodyKnows(_container: Container): void {
  assert(false, "nobody has said what follows a run");
}
