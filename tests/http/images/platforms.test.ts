// Removal of an image for a platform: only our engines are new enough.
import { expect, test } from "vitest";
import { dockerArchive, tarOf, type ImageSpec } from "../../support/archives/images.js";
import { messageOf } from "../../support/engine-client.js";
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
});
