// The history of images: loaded ones, whose steps have no ids, and committed ones, whose steps have those of the parents.
import { expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { dockerArchive, imageConfig, sha256, tarOf, type ImageSpec } from "../../support/archives/images.js";

onEngines("history", (engine, kind) => {
  const history = async (image: string): Promise<Json[]> => engine().read(`/images/${image}/history`);

  test("of a loaded image: newest first, steps without a layer have no size", async () => {
    const spec: ImageSpec = {
      reference: "told:1",
      config: { Cmd: ["x"] },
      layers: [await tarOf([{ name: "a", body: "1234" }]), await tarOf([{ name: "b", body: "12" }])],
      history: [
        { created: "2024-01-01T00:00:01.5Z", created_by: "/bin/sh -c #(nop) ADD a", comment: "base" },
        { created: "2024-01-01T00:00:02Z", created_by: "ENV <A>=1", author: "me", empty_layer: true },
        { created: "2024-01-01T01:00:03+01:00", created_by: "RUN b" },
        { created_by: "CMD", empty_layer: true },
      ],
    };
    await engine().load(await dockerArchive([spec]));
    await engine().must(201, "POST", "/images/told:1/tag?repo=also&tag=2");
    const at = (second: number): number => Date.parse("2024-01-01T00:00:00Z") / 1000 + second;
    const answer = await engine().must(200, "GET", "/images/told:1/history");
    const Id = `sha256:${sha256(imageConfig(spec))}`;
    const missing = { Id: "<missing>", Tags: null };
    const shown = answer.json<Json[]>();
    expect(shown).toEqual([
      { Comment: "", Created: -62135596800, CreatedBy: "CMD", Id, Size: 0, Tags: ["also:2", "told:1"] },
      { Comment: "", Created: at(3), CreatedBy: "RUN b", Size: 2, ...missing },
      { Comment: "", Created: at(2), CreatedBy: "ENV <A>=1", Size: 0, ...missing },
      { Comment: "base", Created: at(1), CreatedBy: "/bin/sh -c #(nop) ADD a", Size: 4, ...missing },
    ]);
    expect(Object.keys(shown[0] ?? {})).toEqual(["Comment", "Created", "CreatedBy", "Id", "Size", "Tags"]);
    for (const name of ["also:2", "told:1"]) await engine().must(200, "DELETE", `/images/${name}`);
  });

  test("of an image without steps: an empty list", async () => {
    const spec: ImageSpec = { reference: "silent:1", config: {}, layers: [await tarOf([])], history: [] };
    await engine().load(await dockerArchive([spec]));
    expect((await engine().must(200, "GET", "/images/silent:1/history")).text).toBe("[]\n");
    await engine().must(200, "DELETE", "/images/silent:1");
  });

  test("of a committed image: its parents with their ids and tags, even if they have none", async () => {
    const first = await engine().create({ Cmd: ["sh", "-c", "echo 1234567 > /made"] });
    await engine().start(first);
    await engine().wait(first);
    const unnamed = (await engine().must(201, "POST", `/commit?container=${first}&comment=one`, {})).json<Made>().Id;
    const second = await engine().create({ Image: unnamed, Cmd: ["true", "2"] });
    const named = await engine().must(201, "POST", `/commit?container=${second}&repo=made&tag=2&author=me`, {});
    const [top, below, ...rest] = await history("made:2");
    expect(top).toMatchObject({
      Id: named.json<Made>().Id,
      CreatedBy: "true 2",
      Comment: "",
      Size: 0,
      Tags: ["made:2"],
    });
    expect(below).toMatchObject({ Id: unnamed, CreatedBy: "sh -c echo 1234567 > /made", Comment: "one", Tags: null });
    expect(below?.["Size"]).toBe(8);
    expect(rest).toEqual(await history("busybox"));
    expect(await history(unnamed)).toEqual([below, ...rest]);
    for (const id of [first, second]) await engine().remove(id);
    await engine().must(200, "DELETE", "/images/made:2");
  });

  test("of no image", async () => {
    const none = await engine().call("GET", "/images/none/history");
    expect([none.status, messageOf(none)]).toEqual([404, "No such image: none:latest"]);
    expect((await engine().call("GET", "/images/AA/history")).status).toBe(400);
  });

  testExcept(kind, { reference: REFERENCE.after141 })(
    "for a platform, from 1.48 on: only exactly that one",
    async () => {
      const ask = async (version: string, platform: string): Promise<[number, string]> => {
        const path = `/images/busybox/history?platform=${encodeURIComponent(platform)}`;
        const answer = await engine().call("GET", path, undefined, { version });
        return [answer.status, answer.status === 200 ? "" : messageOf(answer)];
      };
      const { Architecture } = await engine().read<{ Architecture: string }>("/images/busybox/json");
      const mine = JSON.stringify({ os: "linux", architecture: Architecture });
      const other = JSON.stringify({ os: "linux", architecture: "s390x" });
      expect((await ask("1.48", mine))[0]).toBe(200);
      expect(await ask("1.55", other)).toEqual([
        404,
        "image with reference busybox was found but does not match the specified platform: " +
          `wanted linux/s390x, actual: linux/${Architecture}`,
      ]);
      expect(await ask("1.48", "{}")).toEqual([400, "both OS and Architecture must be provided"]);
      expect((await ask("1.47", "{}"))[0]).toBe(200);
    },
  );
});

interface Made {
  readonly Id: string;
}
