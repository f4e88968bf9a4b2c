// A push amid which the daemon was killed is taken up by the next one: the registry gets no byte of the layer twice,
// though the layer was pushed elsewhere meanwhile.

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { dockerArchive, tarOf } from "../support/archives/images.js";
import { until } from "../support/commands.js";
import { EngineClient } from "../support/engine-client.js";
import { missingLinux, startCoracle } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { digestOf } from "../support/registry/push-image.js";
import { startTakingRegistry, type TakingRegistry } from "../support/registry/taking-registry.js";

const HEADERS = { "X-Registry-Auth": "e30=" };
const SIZE = 4_000_000;

describeUnless(missingLinux(), "a push of a daemon that is killed", () => {
  test("goes on where it was", { timeout: 120_000 }, async () => {
    const daemon = await startCoracle(["--insecure-registry", "10.213.0.0/16"]);
    const [registry, other] = await Promise.all([1, 2].map(() => startTakingRegistry(daemon.netns.hostAddress)));
    try {
      const engine = new EngineClient(daemon.socketPath);
      const names = [registry!, other!].map(({ authority }) => `${authority}/app`);
      const layers = [await tarOf([{ name: "large", body: randomBytes(SIZE) }])];
      await engine.load(await dockerArchive([{ reference: `${names[0]}:1`, config: {}, layers }]));
      await engine.must(201, "POST", `/images/${names[0]}:1/tag?repo=${names[1]}&tag=1`);
      const push = (name: string): Promise<string> =>
        engine.call("POST", `/images/${name}/push?tag=1`, undefined, { headers: HEADERS }).then(({ text }) => text);

      registry!.answer = takingAtMost(registry!, SIZE / 2);
      const cutOff = push(names[0]!).catch(() => "");
      const had = (): number => [...registry!.parts.values()][0]?.length ?? 0;
      await until("half of the layer", () => had() >= SIZE / 2);
      await daemon.end("SIGKILL");
      await cutOff;
      await daemon.start();

      expect(await push(names[1]!)).toContain("1: digest: sha256:");
      const before = had();
      let rest = 0;
      registry!.answer = ({ method, headers }) => {
        if (method === "PATCH") rest += Number(headers["content-length"]);
        return false;
      };
      expect(await push(names[0]!)).toContain("1: digest: sha256:");
      const { digest, size } = (JSON.parse(String(registry!.manifests.get("1"))) as Manifest).layers[0]!;
      expect([digestOf(registry!.blobs.get(digest)!), before + rest]).toEqual([digest, size]);
    } finally {
      await daemon.close();
      await Promise.all([registry!.close(), other!.close()]);
    }
  });
});

interface Manifest {
  layers: { digest: string; size: number }[];
}

/** Takes so much of a blob, and then no more. */
function takingAtMost({ parts }: TakingRegistry, most: number): TakingRegistry["answer"] {
  return (request) => {
    if (request.method !== "PATCH") return false;
    const name = new URL(request.url ?? "", "http://registry").pathname.split("/").at(-1)!;
    request.on("error", () => {});
    request.on("data", (piece: Buffer) => {
      const part = Buffer.concat([parts.get(name) ?? Buffer.alloc(0), piece]);
      parts.set(name, part);
      if (part.length >= most) request.pause();
    });
    return true;
  };
}
