// Routes: unknown ones, answers that must not come from the HTTP framework, and paths that clients probe.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { messageOf } from "../support/engine-client.js";
import { exchange, RawConnection, encodeRequest } from "../support/raw-http.js";

onEngines("routing", (engine, kind) => {
  test("an unknown path and a wrong method are the same 404, without engine headers", async () => {
    const requests = [
      ["GET", "/nothing"],
      ["POST", "/info"],
      ["PUT", "/containers/json"],
      ["DELETE", "/_ping"],
      ["HEAD", "/containers/x/json"],
      ["POST", "/containers/x/copy/y"],
      ["PATCH", "/version"],
    ] as const;
    for (const [method, path] of requests) {
      const answer = await engine().call(method, path);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
      expect(answer.header("content-type")).toBe("application/json");
      expect([answer.header("api-version"), answer.header("server"), answer.header("ostype")]).toEqual([
        null,
        null,
        null,
      ]);
      if (method !== "HEAD") expect(answer.text).toBe('{"message":"page not found"}\n');
    }
  });

  test("OPTIONS is 200 with an empty body on any path", async () => {
    for (const path of ["/info", "/nothing", "/containers/x/start"]) {
      const answer = await engine().call("OPTIONS", path);
      expect([path, answer.status, answer.text, answer.header("content-length")]).toEqual([path, 200, "", "0"]);
    }
  });

  test("a double slash is answered by a redirect to the cleaned path", async () => {
    const answer = await engine().call("GET", "/containers//json");
    expect([answer.status, answer.header("location")]).toEqual([301, "/v1.41/containers/json"]);
  });

  test("names with slashes reach the image routes", async () => {
    const answer = await engine().call("GET", "/images/some/where/nothing:tag/json");
    expect(answer.status).toBe(404);
    expect(messageOf(answer)).toContain("o such image: some/where/nothing:tag");
  });

  test("many requests follow one another on one connection", async () => {
    const connection = await RawConnection.open(engine().socketPath);
    for (const target of ["/_ping", "/v1.41/containers/json", "/nothing", "/v1.41/version"]) {
      connection.send(encodeRequest({ target }));
      const answer = await connection.response();
      expect([target, answer.status]).toEqual([target, target === "/nothing" ? 404 : 200]);
    }
    connection.close();
  });

  test("requests sent ahead are answered in their order", async () => {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(
      Buffer.concat(["/_ping", "/v1.41/containers/json", "/_ping"].map((target) => encodeRequest({ target }))),
    );
    const texts: string[] = [];
    for (let i = 0; i < 3; i += 1) texts.push((await connection.response()).text.trim());
    expect(texts).toEqual(["OK", "[]", "OK"]);
    connection.close();
  });

  test("HTTP/1.0 is answered and closed", async () => {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send("GET /_ping HTTP/1.0\r\n\r\n");
    const head = await connection.head();
    expect(head.status).toBe(200);
    expect((await connection.rest()).toString()).toBe("OK");
    connection.close();
  });

  test("unknown query parameters are ignored", async () => {
    expect((await engine().call("GET", "/containers/json?nonsense=1&Image=x&HostConfig=%7B%7D")).status).toBe(200);
  });

  test("the requests of `docker inspect X` end in JSON 404s", async () => {
    for (const path of [
      "/containers/nope/json",
      "/images/nope/json",
      "/networks/nope",
      "/volumes/nope",
      "/plugins/nope/json",
    ]) {
      const answer = await engine().call("GET", path);
      expect([path, answer.status, answer.header("content-type")]).toEqual([path, 404, "application/json"]);
      expect(messageOf(answer)).toContain("nope");
    }
  });

  test("lists that clients request are correct", async () => {
    expect((await engine().call("GET", "/plugins")).text).toBe("[]\n");
    expect(await engine().read("/volumes")).toEqual({ Volumes: [], Warnings: null });
    const networks = await engine().read<{ Name: string; Driver: string; Scope: string; Id: string }[]>("/networks");
    const byName = Object.fromEntries(networks.map((network) => [network.Name, network.Driver]));
    expect(byName).toEqual({ bridge: "bridge", host: "host", none: "null" });
    for (const { Id, Name } of networks) {
      expect(Id).toMatch(/^[0-9a-f]{64}$/);
      expect(await engine().read(`/networks/${Id}`)).toMatchObject({ Name, Id, Scope: "local" });
      expect(await engine().read(`/networks/${Name}`)).toMatchObject({ Name, Id });
      expect(await engine().read(`/networks/${Id.slice(0, 12)}`)).toMatchObject({ Name, Id });
    }
  });

  testExcept(kind, { reference: REFERENCE.unbuilt })("features that are not built answer 501", async () => {
    const requests = [
      ["POST", "/swarm/init", { ListenAddr: "0.0.0.0:2377" }],
      ["POST", "/plugins/pull", {}],
    ] as const;
    for (const [method, path, body] of requests) {
      const answer = await engine().call(method, path, body);
      expect([method, path, answer.status, answer.header("content-type")]).toEqual([
        method,
        path,
        501,
        "application/json",
      ]);
      expect(messageOf(answer)).not.toBe("");
    }
  });

  test("a request without Host is refused on HTTP/1.1", async () => {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send("GET /_ping HTTP/1.1\r\n\r\n");
    expect((await connection.head()).status).toBe(400);
    connection.close();
  });

  test("HEAD of the unversioned ping works with curl's Host", async () => {
    const answer = await exchange(engine().socketPath, { method: "HEAD", target: "http://localhost/_ping" });
    expect(answer.status).toBe(200);
  });
});
