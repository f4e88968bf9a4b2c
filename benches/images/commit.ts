// How long does a commit of a container take that has written much?
import type { RunningEngine } from "../../tests/support/engines.js";
import { atMost, type Answer, type Sizes } from "../question.js";
import { Watched } from "./watched.js";

export async function commit(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const watched = new Watched(sizes);
  const kibibytes = Math.max(1, sizes.copiedBytes >> 10);
  for (const engine of engines) {
    const Cmd = ["sh", "-c", `dd if=/dev/urandom of=/written bs=1k count=${kibibytes}`];
    const id = await engine.create({ Cmd });
    try {
      await engine.start(id);
      if ((await engine.wait(id)) !== 0) throw new Error(`${engine.kind}: the container could not write`);
      for (let i = 0; i < sizes.longRounds; i += 1) {
        const path = `/commit?container=${id}&repo=committed`;
        await watched.move(engine, () => engine.must(201, "POST", path, {}, { timeoutMs: 600_000 }));
        await engine.must(200, "DELETE", "/images/committed");
      }
    } finally {
      await engine.remove(id);
    }
  }
  return watched.answers("commit", atMost(1), `a change of ${kibibytes >> 10} MiB in one file`);
}
