// See `engine.ts`.

import { launchOf, makeRootfs, newId, openFixture } from "./fixture.js";

const [directory, runtime, ...scripts] = process.argv.slice(2);
const fixture = await openFixture(runtime, directory);
for (const script of scripts) {
  const container = newId();
  makeRootfs(fixture.paths, container);
  console.log("launching");
  const command = launchOf(container, fixture.processes.runtimes[0]!, ["sh", "-c", script], { openStdin: true });
  const outcome = await fixture.processes.perform(1n, command, () => {});
  if (outcome.tag !== "launched") throw new Error(outcome.tag);
  console.log(JSON.stringify({ container, pid: outcome.val.pid, at: String(outcome.val.at) }));
}
setInterval(() => {}, 1000);
