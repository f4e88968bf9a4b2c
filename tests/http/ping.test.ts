// Ping: how every client identifies the engine.
import { expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";

onEngines("ping", (engine) => {
  test("GET answers OK without a newline, with the headers that clients negotiate by", async () => {
    const answer = await engine().call("GET", "/_ping", undefined, { version: null });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe("OK");
    expect(answer.header("api-version")).toBe(engine().engine.maxVersion);
    expect(answer.header("ostype")).toBe("linux");
    expect(answer.header("docker-experimental")).toBe("false");
    expect(answer.header("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.header("content-length")).toBe("2");
    expect(answer.header("cache-control")).toBe("no-cache, no-store, must-revalidate");
    expect(answer.header("pragma")).toBe("no-cache");
    expect(answer.header("server")).toMatch(/^Docker\/\S+ \(linux\)$/);
    expect(answer.header("date")).toMatch(/ GMT$/);
  });

  test("HEAD answers the same without a body", async () => {
    const answer = await engine().call("HEAD", "/_ping", undefined, { version: null });
    expect(answer.status).toBe(200);
    expect(answer.header("content-length")).toBe("0");
    expect(answer.header("content-type")).toBe("text/plain; charset=utf-8");
    expect(answer.header("api-version")).toBe(engine().engine.maxVersion);
  });

  test("the version of the path does not change the Api-Version", async () => {
    for (const version of ["1.24", "1.30", "1.41"]) {
      const answer = await engine().call("GET", "/_ping", undefined, { version });
      expect([answer.status, answer.header("api-version")]).toEqual([200, engine().engine.maxVersion]);
    }
  });

  test("reports the builder and the swarm", async () => {
    const answer = await engine().call("GET", "/_ping", undefined, { version: null });
    expect(String(answer.header("builder-version"))).toMatch(engine().expected("ping-headers", /^[12]$/, /^null$/));
    expect(answer.header("swarm")).toBe(engine().expected("ping-headers", "inactive", null));
  });
});
