// Pulls, builds, commits, removals and prunes of the same images at the same time: none takes away what another needs.
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { busyboxLayer, tarOf } from "../../support/archives/images.js";
import { readTar } from "../../support/archives/read-tar.js";
import { messageOf } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";
import { randomFrom } from "../../support/random.js";
import { startMemoryRegistry, type MemoryRegistry } from "../../support/registry/memory-registry.js";
import { packImage } from "../../support/registry/push-image.js";
import { buildOn } from "../builds/building.js";

const SEED = Date.now() % 1_000_000;
const ROUNDS = 12;
/** How many do the same. */
const HANDS = 3;
const TEXT = "of the base";

onEngines(
  "images used together",
  (engine, kind) => {
    let registry: MemoryRegistry;
    let base: string;
    beforeAll(async () => {
      registry = await startMemoryRegistry(engine().daemon.netns.hostAddress);
      base = `${registry.host}/base:1`;
      const own = await tarOf([{ name: "base", body: TEXT }]);
      const large = await tarOf([{ name: "large", body: Buffer.alloc(1 << 20, "large") }]);
      const layers = [await busyboxLayer(), large, own];
      registry.put("base", ["1"], packImage({ reference: null, config: { Cmd: ["cat", "/base"] }, layers }));
    });
    afterAll(async () => registry?.close());

    test(
      "each gets what it asks for, whole, and at the end everything can go",
      { timeout: 240_000 },
      async ({ skip }) => {
        if (kind === "reference") return skip(REFERENCE.races);
        console.log(`images used together: seed ${SEED}`);
        const random = randomFrom(SEED);
        // A prune of all unused images keeps busybox.
        const holder = await engine().create({ Cmd: ["true"] });
        const before = await engine().read<Usage>("/system/df");
        const done = new Map<string, number>();
        const hand = async (verb: Verb): Promise<void> => {
          for (let round = 0; round < ROUNDS; round += 1) {
            await VERBS[verb](random(HANDS));
            done.set(verb, (done.get(verb) ?? 0) + 1);
          }
        };
        const verbs = Object.keys(VERBS) as Verb[];
        let turns = 0;
        // On a busy machine, one turn may find all images there, or none.
        do {
          turns += 1;
          await Promise.all(verbs.flatMap((verb) => Array.from({ length: HANDS }, () => hand(verb))));
        } while (Object.values(seen).includes(0));
        expect([...done.values()]).toEqual(verbs.map(() => turns * HANDS * ROUNDS));
        for (let of = 0; of < HANDS; of += 1) await VERBS.build(of);
        await VERBS.pull();
        for (const name of ["built-0", "built-1", "built-2", base]) expect(await fileOf(name)).toBe(TEXT);
        for (const name of ["built-0", "built-1", "built-2", base])
          await engine().must(200, "DELETE", `/images/${name}`);
        await engine().must(200, "POST", "/images/prune");
        await engine().must(200, "POST", "/build/prune?all=1");
        const after = await engine().read<Usage>("/system/df");
        const containers = await engine().read<{ Id: string }[]>("/containers/json?all=1");
        expect(containers.map(({ Id }) => Id)).toEqual([holder]);
        expect([after.LayersSize, after.Images.length]).toEqual([before.LayersSize, before.Images.length]);
      },
    );

    /** How often a container was made of an image, and how often another had removed the image. */
    const seen = { whole: 0, gone: 0 };

    const VERBS = {
      pull: async (): Promise<void> => {
        const { text } = await engine().must(200, "POST", `/images/create?fromImage=${base}`);
        expect(text).toMatch(/"status":"Status: (Downloaded newer image|Image is up to date)/);
        expect(text).not.toContain('"error"');
      },
      /** Of the base, which is pulled if it is not there. */
      build: async (of: number): Promise<void> => {
        const dockerfile = `FROM ${base}\nCOPY file /copied\nRUN cat /base > /made\nLABEL of=${of}\n`;
        const { error } = await buildOn(engine(), dockerfile, [{ name: "file", body: `of ${of}` }], `t=built-${of}`);
        expect(error).toBeNull();
      },
      look: async (of: number): Promise<void> => {
        for (const name of [`built-${of}`, base]) {
          const text = await fileOf(name);
          if (text === null) seen.gone += 1;
          else seen.whole += 1;
          expect([null, TEXT]).toContain(text);
        }
      },
      save: async (of: number): Promise<void> => {
        const answer = await engine().call("GET", `/images/built-${of}/get`);
        expect([200, 404]).toContain(answer.status);
        if (answer.status !== 200) return;
        const members = await readTar(answer.body);
        expect(members.map(({ name }) => name)).toContain("manifest.json");
      },
      /** In use by a container that looks, it stays. */
      remove: async (of: number): Promise<void> => {
        for (const name of [`built-${of}`, base]) {
          const answer = await engine().call("DELETE", `/images/${name}`);
          expect([200, 404, 409], answer.text).toContain(answer.status);
        }
      },
      prune: async (): Promise<void> => {
        const filters = encodeURIComponent(JSON.stringify({ dangling: ["false"] }));
        for (const path of [`/images/prune?filters=${filters}`, "/build/prune", "/images/prune"]) {
          const answer = await engine().call("POST", path);
          if (answer.status === 409) expect(messageOf(answer)).toContain("already running");
          else expect([path, answer.status]).toEqual([path, 200]);
        }
      },
    };
    type Verb = keyof typeof VERBS;

    /** A file of the image's base, as a container has it; null if there is no such image. */
    async function fileOf(image: string): Promise<string | null> {
      const created = await engine().call("POST", "/containers/create", { Image: image, Cmd: ["true"] });
      expect([201, 404]).toContain(created.status);
      if (created.status === 404) return null;
      const { Id } = created.json<{ Id: string }>();
      const archive = await engine().must(200, "GET", `/containers/${Id}/archive?path=/base`);
      await engine().must(204, "DELETE", `/containers/${Id}?force=1`);
      return (await readTar(archive.body))[0]?.text ?? "";
    }
  },
  { flags: ["--insecure-registry", "10.213.0.0/16"] },
);

interface Usage {
  LayersSize: number;
  Images: unknown[];
}
