// Creating networks and volumes without a container: what is refused, and what already exists.
import { expect, test } from "vitest";
import { messageOf } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";

onEngines("making", (engine) => {
  const asked = async (path: string, body: unknown) => {
    const answer = await engine().call("POST", path, body);
    return [answer.status, answer.status === 201 ? "" : messageOf(answer)] as const;
  };

  test.each(["bridge", "host", "none"])("no second network %s", async (Name) => {
    const text = `operation is not permitted on predefined ${Name} network `;
    expect(await asked("/networks/create", { Name })).toEqual([403, text]);
  });

  test("invalid networks", async () => {
    const nameless = await asked("/networks/create", { Driver: "bridge" });
    expect(nameless).toEqual([engine().expected("network-name", 400, 500), "invalid name: "]);
    for (const driver of ["host", "null"]) {
      const text = `only one instance of "${driver}" network is allowed`;
      expect(await asked("/networks/create", { Name: "mine", Driver: driver })).toEqual([403, text]);
    }
    for (const body of [[], { Name: 5 }, { Name: "x", Internal: "x" }, { Name: "x", Options: { a: 1 } }]) {
      expect((await asked("/networks/create", body))[0]).toBe(400);
    }
  });

  test("an existing volume is returned again", async () => {
    const id = await engine().create({ HostConfig: { Binds: ["mine:/x"] } });
    const mine = await engine().read("/volumes/mine");
    for (const body of [{ Name: "mine" }, { Name: "mine", Driver: "local", Labels: { a: "b" } }]) {
      const answer = await engine().must(201, "POST", "/volumes/create", body);
      expect(answer.json()).toEqual(mine);
    }
    await engine().remove(id);
    expect(await engine().read("/volumes/mine")).toEqual(mine);
  });

  test("invalid volumes", async () => {
    for (const body of [[], { Name: 5 }, { Name: "x" }, { Name: "../x" }, { Name: "mine2", DriverOpts: { a: "b" } }]) {
      expect([body, (await asked("/volumes/create", body))[0]]).toEqual([body, 400]);
    }
  });
});
