// How long does a list of many images take?
import { dockerArchive, tarOf, type ImageSpec } from "../../tests/support/archives/images.js";
import type { RunningEngine } from "../../tests/support/engines.js";
import { openLoadClient } from "../load.js";
import { medians, under, type Answer, type Sizes } from "../question.js";

export async function manyImages(engines: readonly RunningEngine[], { images, rounds }: Sizes): Promise<Answer[]> {
  const layers = [await tarOf([{ name: "file", body: "in all of them" }])];
  const names = Array.from({ length: images }, (_, at) => `many${at}:1`);
  const archive = await dockerArchive(
    names.map((reference, at): ImageSpec => ({ reference, config: { Cmd: ["true", String(at)] }, layers })),
  );
  const client = await openLoadClient();
  try {
    for (const engine of engines) await engine.load(archive);
    const figures = await medians(engines, rounds, ({ socketPath }) =>
      client.ask(socketPath, "/v1.41/images/json", 1, 1),
    );
    return [{ question: `list of ${images} images`, unit: "ms", figures, goal: under(5, "ms") }];
  } finally {
    await client.close();
    for (const engine of engines) for (const name of names) await engine.call("DELETE", `/images/${name}`);
  }
}
