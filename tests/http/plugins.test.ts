// Plugins, builds and images with unknown names: these answers need no feature that is not built.
import { expect, test } from "vitest";
import { messageOf } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";

onEngines("unknown names", (engine) => {
  const answered = async (method: string, path: string, body?: unknown) => {
    const answer = await engine().call(method, path, body);
    return [answer.status, messageOf(answer)];
  };
  const missing = [404, 'plugin "x" not found'];

  test.each<[string, string, unknown?]>([
    ["GET", "/plugins/x/json"],
    ["DELETE", "/plugins/x"],
    ["DELETE", "/plugins/x?force=1"],
    ["POST", "/plugins/x/enable?timeout=0"],
    ["POST", "/plugins/x/disable"],
    ["POST", "/plugins/x/push"],
    ["POST", "/plugins/x/set", ["A=b"]],
  ])("of a plugin: %s %s", async (method, path, body) => {
    expect(await answered(method, path, body)).toEqual(missing);
  });

  test("of a plugin to upgrade", async () => {
    expect(await answered("POST", "/plugins/x/upgrade?remote=y", [])).toEqual([404, 'plugin "x:latest" not found']);
    const [status] = await answered("POST", "/plugins/x/upgrade?remote=A", []);
    expect(status).toBe(engine().expected("tag-status", 400, 500));
  });

  test("invalid plugin requests are refused first", async () => {
    const bad = engine().expected("bad-number", 400, 500);
    expect(await answered("POST", "/plugins/x/enable?timeout=a")).toEqual([
      bad,
      'strconv.Atoi: parsing "a": invalid syntax',
    ]);
    expect(await answered("POST", "/plugins/x/enable")).toEqual([bad, 'strconv.Atoi: parsing "": invalid syntax']);
    expect((await answered("POST", "/plugins/x/set", "{"))[0]).toBe(400);
  });

  test("no plugin is listed, whatever the filters", async () => {
    const filtered = (filters: string) => engine().call("GET", `/plugins?filters=${encodeURIComponent(filters)}`);
    for (const filters of ['{"capability":["x"]}', '{"enabled":["true"]}', ""]) {
      expect((await filtered(filters)).text).toBe("[]\n");
    }
    expect((await filtered('{"a":["b"]}')).status).toBe(400);
    expect((await filtered('{"enabled":["b"]}')).status).toBe(400);
    expect((await filtered("x")).status).toBe(engine().expected("bad-filter", 400, 500));
  });

  test("of a build to cancel", async () => {
    const answer = await engine().call("POST", "/build/cancel?id=x");
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(await answered("POST", "/build/cancel")).toEqual([
      engine().expected("build-cancel", 400, 500),
      "build ID not provided",
    ]);
  });
});
