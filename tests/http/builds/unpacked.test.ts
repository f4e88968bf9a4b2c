// The limit of what a tar may be after decompression, wherever one comes in: small bytes may stand for many.

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { rawTar, type RawEntry } from "../../support/archives/tar.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { buildOn } from "./building.js";

const LIMIT = 3 << 20;
const SENTENCE = `unpacked, it is larger than ${LIMIT} bytes, as max-unpacked-size allows`;

onEngines(
  "a limit of what is unpacked",
  (engine, kind) => {
    const testOurs = testExcept(kind, { reference: REFERENCE.ours });
    const bomb = (): RawEntry[] => [{ name: "zeros", body: Buffer.alloc(LIMIT) }];
    const images = (): Promise<Json[]> => engine().read<Json[]>("/images/json?all=1");

    test("leaves what is smaller alone", async () => {
      const { error } = await buildOn(engine(), "FROM busybox\nCOPY zeros /\n", [{ name: "zeros", body: "0" }]);
      expect(error).toBeNull();
    });

    testOurs("holds for an import, which leaves nothing behind", async () => {
      const before = await images();
      const answer = await engine().call("POST", "/images/create?fromSrc=-&repo=bomb", gzipSync(rawTar(bomb())));
      expect(answer.text).toContain(SENTENCE);
      expect(await images()).toEqual(before);
    });

    testOurs("holds for an archive of images", async () => {
      const answer = await engine().call("POST", "/images/load?quiet=1", gzipSync(rawTar(bomb())));
      expect(answer.text).toContain(SENTENCE);
    });

    testOurs("holds for a build's context", async () => {
      const context = gzipSync(rawTar([{ name: "Dockerfile", body: "FROM busybox\n" }, ...bomb()]));
      const answer = await engine().call("POST", "/build", context);
      expect(`${answer.status} ${messageOf(answer)}`).toContain(SENTENCE);
    });

    testOurs("holds for what ADD unpacks, whose step leaves no image", async () => {
      const before = await images();
      const packed = { name: "t.tgz", body: gzipSync(rawTar(bomb())) };
      const { error } = await buildOn(engine(), "FROM busybox\nADD t.tgz /x/\n", [packed]);
      expect(error?.["error"]).toBe(`failed to copy files: ${SENTENCE}`);
      expect(await images()).toEqual(before);
    });

    testOurs("holds for what is copied into a container", async () => {
      const id = await engine().create({ Image: "busybox" });
      const answer = await engine().call("PUT", `/containers/${id}/archive?path=/`, gzipSync(rawTar(bomb())));
      expect(messageOf(answer)).toContain(SENTENCE);
      await engine().remove(id);
    });
  },
  { ownFlags: ["--max-unpacked-size", "3m"] },
);
