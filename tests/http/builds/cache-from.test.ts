// `cachefrom`: the steps of an image whose parents are not here are found by its history.
import { expect, test } from "vitest";
import { buildOn, type Built } from "./building.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { REFERENCE } from "../../support/allowed-skips.js";

const fileOf = (name: string): string =>
  `FROM busybox\nENV A=${name}\nRUN echo x > /x; cat /proc/sys/kernel/random/uuid > /y 2>&1 || date > /y\nCMD ["x"]\n`;

onEngines("cachefrom", (engine, kind) => {
  const withCacheOf = async (file: string, ...images: string[]): Promise<Built> =>
    buildOn(engine(), file, [], `cachefrom=${encodeURIComponent(JSON.stringify(images))}`);
  const cachedIn = ({ lines }: Built): number => lines.filter((line) => line === "Using cache").length;

  /** Makes an image, and has it here without its parents, as after a pull. */
  const foreign = async (name: string): Promise<string> => {
    const { id } = await buildOn(engine(), fileOf(name), [], `t=${name}&nocache=1`);
    const saved = await engine().must(200, "GET", `/images/${name}/get`);
    await engine().must(200, "DELETE", `/images/${name}?force=1`);
    await engine().must(200, "POST", "/images/load", saved.body);
    return id;
  };

  test("all steps of an image are found, and it is the result", async () => {
    const id = await foreign("whole");
    const built = await withCacheOf(fileOf("whole"), "whole");
    expect(cachedIn(built)).toBe(3);
    expect(built.id).toBe(id);
    await engine().must(200, "DELETE", "/images/whole?force=1");
  });

  test("the steps that a Dockerfile has in common with it are found", async () => {
    await foreign("part");
    const longer = await withCacheOf(`${fileOf("part")}LABEL b=c\n`, "part");
    expect(cachedIn(longer)).toBe(3);
    expect(cachedIn(await withCacheOf(fileOf("part").replace("echo x >", "echo z >"), "part"))).toBe(1);
    expect(cachedIn(await withCacheOf(fileOf("other"), "part"))).toBe(0);
    await engine().must(200, "DELETE", "/images/part?force=1");
  });

  testExcept(kind, { reference: REFERENCE.ours })("images that the client does not name are not trusted", async () => {
    await foreign("unnamed");
    expect(cachedIn(await buildOn(engine(), fileOf("unnamed")))).toBe(0);
    await engine().must(200, "DELETE", "/images/unnamed?force=1");
  });
});
