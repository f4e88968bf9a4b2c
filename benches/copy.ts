// How long does `docker cp` take, for one large file and for many small ones, into a running container and out of it?
import { createCipheriv } from "node:crypto";
import type { RunningEngine } from "../tests/support/engines.js";
import { tarOf, type TarEntry } from "../tests/support/archives/images.js";
import { atMost, Rounds, timed, type Answer, type Sizes } from "./question.js";
import { withSleepers } from "./running-sleepers.js";
import { transfer } from "./transfer.js";

const SMALL_BYTES = 2048;

export async function copy(engines: readonly RunningEngine[], sizes: Sizes): Promise<Answer[]> {
  const noise = createCipheriv("aes-256-ctr", Buffer.alloc(32, 1), Buffer.alloc(16));
  const large = await tarOf([{ name: "large", body: noise.update(Buffer.alloc(sizes.copiedBytes)) }]);
  const small = await tarOf(smallFiles(sizes.copiedFiles, noise.update(Buffer.alloc(SMALL_BYTES))));
  return withSleepers(engines, async (sleeperOf) => {
    const answers: Answer[] = [];
    for (const [what, name, tar] of [
      [`${sizes.copiedBytes >> 20} MiB`, "large", large],
      [`${sizes.copiedFiles} small files`, "small", small],
    ] as const) {
      const [put, got] = [new Rounds(), new Rounds()];
      for (let i = 0; i < sizes.longRounds; i += 1) {
        for (const engine of engines) {
          const archive = `/containers/${sleeperOf(engine)}/archive?path=`;
          put.add(engine.kind, await timed(() => transfer(engine, "PUT", `${archive}/`, tar, 0)));
          got.add(engine.kind, await timed(() => transfer(engine, "GET", `${archive}/${name}`, null, tar.length / 2)));
        }
      }
      answers.push({ question: `cp of ${what} in`, unit: "ms", figures: put.medians(), goal: atMost(1) });
      answers.push({ question: `cp of ${what} out`, unit: "ms", figures: got.medians(), goal: atMost(1) });
    }
    return answers;
  });
}

function smallFiles(count: number, body: Buffer): TarEntry[] {
  const files = Array.from({ length: count }, (_, at) => ({ name: `small/${at % 100}/file${at}`, body }));
  return [{ name: "small/", type: "directory" }, ...files];
}
