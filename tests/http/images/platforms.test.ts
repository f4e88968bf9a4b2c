// Removal of an image for a platform: only our engines are new enough.
import { expect, test } from "vitest";
import { dockerArchive, tarOf, type ImageSpec } from "../../support/archives/images.js";
import { until } from "../../support/commands.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";

onEngines("platforms", (engine, kind) => {
  test("an image is removed for its own platform only; before 1.50 nobody asks for one", async () => {
    const [mine, other] = ["arm64", "s390x"].map((architecture) =>
      encodeURIComponent(JSON.stringify({ os: "linux", architecture })),
    );
    const spec: ImageSpec = {
      reference: "foreign:1",
      config: {},
      layers: [await tarOf([{ name: "a" }])],
      architecture: "arm64",
    };
    await engine().load(await dockerArchive([spec]));
    if (kind !== "reference") {
      const version = "1.50";
      for (const query of [`platforms=${other}`, `platforms=${mine}&platforms=${other}`]) {
        const refused = await engine().call("DELETE", `/images/foreign:1?${query}`, undefined, { version });
        expect([refused.status, messageOf(refused)]).toEqual([
          404,
          "image with reference foreign:1 was found but does not match the specified platform: " +
            "wanted linux/s390x, actual: linux/arm64",
        ]);
      }
      const bad = await engine().call("DELETE", "/images/foreign:1?platforms=x", undefined, { version });
      expect([bad.status, messageOf(bad)]).toEqual([400, "failed to parse platform"]);
      await engine().must(200, "DELETE", `/images/foreign:1?platforms=${mine}`, undefined, { version });
      await engine().load(await dockerArchive([spec]));
    }
    await engine().must(200, "DELETE", `/images/foreign:1?platforms=${other}`, undefined, { version: "1.41" });
    expect((await engine().call("GET", "/images/foreign:1/json")).status).toBe(404);
  });

  test("a container of an image for another machine: a warning, and a program that cannot run", async () => {
    // An ELF header of 64 bits for a processor (0) that no machine has.
    const head = Buffer.from("7f454c460201010000000000000000000200000001", "hex");
    const program = Buffer.concat([head, Buffer.alloc(200)]);
    const layers = [await tarOf([{ name: "run", body: program, mode: 0o755 }])];
    const spec: ImageSpec = { reference: "foreign:2", config: { Cmd: ["/run"] }, layers, architecture: "s390x" };
    await engine().load(await dockerArchive([spec]));
    const created = await engine().must(201, "POST", "/containers/create", { Image: "foreign:2" });
    const { Id, Warnings } = created.json<{ Id: string; Warnings: string[] }>();
    expect(Warnings).toEqual([expect.stringMatching(WARNING)]);
    const asked = await engine().must(201, "POST", "/containers/create?platform=linux/s390x", { Image: "foreign:2" });
    expect(asked.json<{ Warnings: string[] }>().Warnings ?? []).toEqual([]);
    await engine().start(Id);
    expect(await engine().wait(Id)).toBe(1);
    await until("its error", async () => /exec.*\/run.*: exec format error\n$/i.test((await engine().logs(Id)).stderr));
    expect((await engine().inspect<{ State: Json }>(Id)).State).toMatchObject({ Status: "exited", Error: "" });
    await engine().remove(Id);
    await engine().remove(asked.json<{ Id: string }>().Id);
    await engine().must(200, "DELETE", "/images/foreign:2");
  });
});

const WARNING =
  /^The requested image's platform \(linux\/s390x\) does not match the detected host platform \(linux\/\w+(\/v\d)?\) and no specific platform was requested$/;
