// Headers of each kind of answer (surface §6.1): the set of names, not their values.
import { expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { RawConnection, type RawHead } from "../support/raw-http.js";

const ENGINE = ["api-version", "date", "docker-experimental", "ostype", "server"];

onEngines("headers", (engine) => {
  test("a short JSON answer has a length, a long one is chunked", async () => {
    const short = await engine().call("GET", "/containers/json");
    expect(names(short)).toEqual([...ENGINE, "content-length", "content-type"].sort());
    const long = await engine().call("GET", "/info");
    expect(long.body.length).toBeGreaterThan(2048);
    expect(names(long)).toEqual([...ENGINE, "content-type", "transfer-encoding"].sort());
    for (const answer of [short, long]) {
      expect(answer.header("content-type")).toBe("application/json");
      expect(answer.text.endsWith("\n")).toBe(true);
      expect(answer.text.trimEnd()).not.toContain("\n");
    }
  });

  test("a JSON error has the same headers", async () => {
    const answer = await engine().call("GET", "/containers/nope/json");
    expect(names(answer)).toEqual([...ENGINE, "content-length", "content-type"].sort());
    expect(answer.text).toBe('{"message":"No such container: nope"}\n');
  });

  test("204 has neither length nor type, 304 no body, 200 and 201 without body a zero length", async () => {
    const id = await engine().create({ Cmd: ["sleep", "1000"], Tty: true });
    const started = await engine().call("POST", `/containers/${id}/start`);
    expect([started.status, names(started)]).toEqual([204, ENGINE]);
    const again = await engine().call("POST", `/containers/${id}/start`);
    expect([again.status, names(again)]).toEqual([304, ENGINE]);
    const resized = await engine().call("POST", `/containers/${id}/resize?h=20&w=80`);
    expect([resized.status, names(resized)]).toEqual([200, [...ENGINE, "content-length"].sort()]);
    const tagged = await engine().call("POST", "/images/busybox/tag?repo=headers&tag=1");
    expect([tagged.status, names(tagged)]).toEqual([201, [...ENGINE, "content-length"].sort()]);
    await engine().remove(id);
  });

  test("HEAD of a container's files has no length, on a kept connection and on others", async () => {
    const id = await engine().create();
    for (const headers of [{}, { Connection: "close" }]) {
      const answer = await engine().call("HEAD", `/containers/${id}/archive?path=/etc`, undefined, { headers });
      const told = names(answer).filter((name) => name !== "connection");
      expect([answer.status, told]).toEqual([200, [...ENGINE, "x-docker-container-path-stat"].sort()]);
      const missing = await engine().call("HEAD", `/containers/${id}/archive?path=/nope`, undefined, { headers });
      expect([missing.status, names(missing).includes("content-length")]).toEqual([404, true]);
    }
    await engine().remove(id);
  });

  test("an unknown expectation is refused, and the answer reaches a client that is still sending", async () => {
    const connection = await RawConnection.open(engine().socketPath);
    try {
      const head = "POST /containers/create HTTP/1.1\r\nHost: docker\r\nExpect: tcp\r\nContent-Length: 262144\r\n\r\n";
      connection.send(head);
      const answer = connection.response("POST");
      for (let piece = 0; piece < 4; piece += 1) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        connection.send(Buffer.alloc(65_536, " "));
      }
      expect(await answer).toMatchObject({ status: 417 });
    } finally {
      connection.close();
    }
  });

  test("ping and OPTIONS", async () => {
    const ping = await engine().call("GET", "/_ping");
    const extra = engine().expected("ping-headers", ["builder-version", "swarm"], []);
    expect(names(ping)).toEqual(
      [...ENGINE, ...extra, "cache-control", "content-length", "content-type", "pragma"].sort(),
    );
    const options = await engine().call("OPTIONS", "/info");
    expect(names(options)).toEqual([...ENGINE, "content-length"].sort());
  });

  test("logs, wait and events are chunked", async () => {
    const id = await engine().running();
    await engine().must(204, "POST", `/containers/${id}/kill`);
    const logs = await engine().call("GET", `/containers/${id}/logs?stdout=1`);
    const typed = engine().expected("logs-content-type", ["content-type"], []);
    expect(names(logs)).toEqual([...ENGINE, ...typed, "transfer-encoding"].sort());
    const wait = await engine().call("POST", `/containers/${id}/wait`);
    expect(names(wait)).toEqual([...ENGINE, "content-type", "transfer-encoding"].sort());
    const events = await engine().call("GET", "/events?since=1&until=2");
    expect(names(events)).toEqual([...ENGINE, "content-type", "transfer-encoding"].sort());
    const oldWait = await engine().call("POST", `/containers/${id}/wait`, undefined, { version: "1.29" });
    expect(names(oldWait)).toEqual([...ENGINE, "content-length", "content-type"].sort());
    await engine().remove(id);
  });

  test("HTML characters stay as they are", async () => {
    const id = await engine().create({ Cmd: ["echo", "<&>"] });
    expect((await engine().call("GET", `/containers/${id}/json`)).text).toContain('"<&>"');
    await engine().remove(id);
  });
});

/** The names in lower case, sorted, without the transport's own connection headers. */
function names(head: RawHead): string[] {
  return head.headers
    .map(([name]) => name.toLowerCase())
    .filter((name) => name !== "connection" && name !== "keep-alive")
    .sort();
}
