// What came to the list and to inspect with versions 1.47 to 1.54: `manifests`, `identity` and `platform`. A store of
// single images has no manifests to list: `Manifests` and `Descriptor` are of stores that keep whole indexes (swagger of
// 1.48, ImageInspect).
import { beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { dockerArchive, tarOf } from "../../support/archives/images.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";
import { buildOn } from "../builds/building.js";

const NAME = "newest-shapes:1";
const NO_BOTH = "conflicting options: manifests and platform options cannot both be set";

onEngines("newest shapes of images", (engine, kind) => {
  const asked = async (version: string, path: string): Promise<[number, string]> => {
    const answer = await engine().call("GET", path, undefined, { version });
    return [answer.status, answer.status === 200 ? "" : messageOf(answer)];
  };
  const inspect = (version: string, query = ""): Promise<Json> =>
    engine().read(`/images/${NAME}/json${query}`, { version });
  const platform = (value: object): string => `platform=${encodeURIComponent(JSON.stringify(value))}`;

  beforeAll(async () => {
    const layers = [await tarOf([{ name: "a" }])];
    await engine().load(await dockerArchive([{ reference: NAME, config: {}, layers, architecture: "arm64" }]));
  });

  test("manifests: since 1.47 in the list, since 1.48 in inspect; with another platform it is refused", async ({
    skip,
  }) => {
    if (kind === "reference") return skip(REFERENCE.after141);
    for (const version of ["1.46", "1.47", "1.55"]) {
      const [plain, asking] = [await list(version, ""), await list(version, "?manifests=1")];
      expect(asking).toEqual(plain);
      for (const key of ["Manifests", "Descriptor"]) expect(asking.filter((one) => key in one)).toEqual([]);
    }
    for (const version of ["1.47", "1.48", "1.55"]) {
      expect(await inspect(version, "?manifests=1")).toEqual(await inspect(version));
      for (const key of ["Manifests", "Descriptor"]) expect(await inspect(version)).not.toHaveProperty(key);
    }
    const both = `/images/${NAME}/json?manifests=1&${platform({ os: "linux", architecture: "arm64" })}`;
    expect(await asked("1.48", both)).toEqual([200, ""]);
    for (const version of ["1.49", "1.55"]) expect(await asked(version, both)).toEqual([400, NO_BOTH]);
  });

  test("identity: since 1.54 in the list, and only with manifests", async ({ skip }) => {
    if (kind === "reference") return skip(REFERENCE.after141);
    expect(await asked("1.53", "/images/json?identity=1")).toEqual([200, ""]);
    for (const version of ["1.54", "1.55"]) {
      expect((await asked(version, "/images/json?identity=1"))[0]).toBe(400);
      expect(await list(version, "?manifests=1&identity=1")).toEqual(await list(version, ""));
    }
  });

  test("Identity: since 1.53 in inspect, of what was built here", async ({ skip }) => {
    if (kind === "reference") return skip(REFERENCE.after141);
    const { id } = await buildOn(engine(), "FROM busybox\nLABEL newest=1\n", [], "t=newest-shapes:2");
    const built = (version: string): Promise<Json> => engine().read(`/images/${id}/json`, { version });
    const { Created } = await built("1.53");
    expect(await built("1.53")).toMatchObject({ Identity: { Build: [{ CreatedAt: Created }] } });
    expect(await built("1.52")).not.toHaveProperty("Identity");
    // It came from an archive, which says nothing of where it was before.
    expect(await inspect("1.55")).not.toHaveProperty("Identity");
    await engine().must(200, "DELETE", "/images/newest-shapes:2");
  });

  test("platform: since 1.49 in inspect, the image's own", async ({ skip }) => {
    if (kind === "reference") return skip(REFERENCE.after141);
    const [own, other] = [
      platform({ os: "linux", architecture: "arm64" }),
      platform({ os: "linux", architecture: "s390x" }),
    ];
    const target = `/images/${NAME}/json`;
    expect(await inspect("1.49", `?${own}`)).toEqual(await inspect("1.49"));
    expect(await asked("1.48", `${target}?${other}`)).toEqual([200, ""]);
    expect(await asked("1.49", `${target}?${other}`)).toEqual([
      404,
      `image with reference ${NAME} was found but does not match the specified platform: ` +
        "wanted linux/s390x, actual: linux/arm64",
    ]);
    expect(await asked("1.55", `${target}?${platform({ os: "linux" })}`)).toEqual([
      400,
      "both OS and Architecture must be provided",
    ]);
    expect(await asked("1.55", `${target}?platform=linux/arm64`)).toEqual([400, "failed to parse platform"]);
  });

  async function list(version: string, query: string): Promise<Json[]> {
    return engine().read(`/images/json${query}`, { version });
  }
});
