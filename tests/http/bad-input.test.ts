// Invalid input at the socket: each is answered as Docker does, and the daemon keeps serving.
import { afterEach, expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { messageOf } from "../support/engine-client.js";
import { encodeRequest, exchange, RawConnection, type RawResponse } from "../support/raw-http.js";

const JSON_TYPE = { "Content-Type": "application/json" };

onEngines("bad input", (engine, kind) => {
  afterEach(async () => {
    expect((await engine().call("GET", "/_ping")).text).toBe("OK");
  });

  for (const [name, body] of [
    ["malformed", "{bad}"],
    ["truncated", '{"Image":"busybox"'],
    ["truncated string", '{"Image":"busy'],
    ["two commas", '{"Image":"busybox",,}'],
    ["a bare word", "nonsense"],
    ["an array", "[]"],
    ["a string", '"x"'],
    ["a number", "1"],
    ["NUL bytes", "\0\0\0"],
    ["a wrong escape", '{"Image":"\\x"}'],
    ["a control character in a string", '{"Image":"a\nb"}'],
  ] as const) {
    test(`JSON: ${name}`, async () => {
      const answer = await create(body);
      expect(answer.status).toBe(engine().expected("bad-json-status", 400, 500));
      expect(answer.header("content-type")).toBe("application/json");
      const isOurs = messageOf(answer).startsWith("invalid JSON: ");
      expect([messageOf(answer), isOurs]).toEqual([messageOf(answer), engine().expected("bad-json-text", true, false)]);
    });
  }

  test("wrong types are refused naming the field", async () => {
    for (const [body, field] of [
      ['{"Image":1}', "Image"],
      ['{"Image":"busybox","Env":"A=1"}', "Env"],
      ['{"Image":"busybox","Tty":"yes"}', "Tty"],
      ['{"Image":"busybox","Labels":["a"]}', "Labels"],
      ['{"Image":"busybox","HostConfig":[]}', "HostConfig"],
      ['{"Image":"busybox","HostConfig":{"Memory":"1g"}}', "Memory"],
      ['{"Image":"busybox","HostConfig":{"Memory":1.5}}', "Memory"],
      ['{"Image":"busybox","HostConfig":{"PortBindings":{"80/tcp":{}}}}', "PortBindings"],
    ] as const) {
      const answer = await create(body);
      expect([body, answer.status]).toEqual([body, engine().expected("bad-json-status", 400, 500)]);
      expect(messageOf(answer)).toContain(field);
    }
  });

  test("100-deep nesting", async () => {
    const body = `{"Image":"busybox","Labels":${"[".repeat(100)}${"]".repeat(100)}}`;
    expect((await create(body)).status).toBe(engine().expected("bad-json-status", 400, 500));
    const unknown = `{"Image":"busybox","Unknown":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
    expect((await create(unknown)).status).toBe(engine().expected("bad-json-status", 400, 500));
  });

  test("a body of 50 MiB", async () => {
    const body = Buffer.alloc(50 << 20, " ");
    body.write('{"Image":"busybox"', 0);
    body.write("}", body.length - 1);
    const answer = await create(body).catch((error: Error) => error);
    if (kind !== "reference") {
      expect(answer instanceof Error ? answer.message : answer.status).toBe(413);
      expect(messageOf(answer as RawResponse)).not.toBe("");
    } else {
      // The reference has no limit. This has its own row, with the others that differ in status.
      expect((answer as RawResponse).status).toBe(engine().expected("body-limit", 413, 201));
    }
  });

  test("numbers past 64 bits", async () => {
    for (const number of ["18446744073709551616", "1e400", "-9223372036854775809"]) {
      const answer = await create(`{"Image":"busybox","HostConfig":{"Memory":${number}}}`);
      expect([number, answer.status]).toEqual([number, engine().expected("bad-json-status", 400, 500)]);
    }
  });

  test("invalid UTF-8 does no harm", async () => {
    const body = Buffer.from('{"Image":"busybox","Labels":{"a":"?"}}');
    body[body.indexOf("?")] = 0xff;
    const answer = await create(body);
    expect([201, 400]).toContain(answer.status);
    if (answer.status === 201) {
      const { Id } = answer.json<{ Id: string }>();
      const { Config } = await engine().inspect<{ Config: { Labels: Record<string, string> } }>(Id);
      expect(Config.Labels["a"]).toBe("\ufffd");
      await engine().remove(Id);
    }
  });

  test("duplicate keys: the last wins; unknown fields are ignored; keys in any case", async () => {
    const answer = await create(
      '{"image":"nothing","IMAGE":"busybox","Cmd":["a"],"cMD":["b"],"Nonsense":{"x":[1,{}]}}',
    );
    expect(answer.status).toBe(201);
    const { Id } = answer.json<{ Id: string }>();
    expect(await engine().inspect(Id)).toMatchObject({ Config: { Image: "busybox", Cmd: ["b"] } });
    await engine().remove(Id);
  });

  test("repeated objects are merged, and null removes their members", async () => {
    const members = [
      ['"Labels":{"a":"1","b":"1"}', '"labels":{"b":"2"}'],
      ['"Healthcheck":{"Retries":3,"Interval":1000000000}', '"Healthcheck":{"Interval":5000000000}'],
      ['"HostConfig":{"CpuShares":5}', '"HostConfig":null', '"HostConfig":{"RestartPolicy":{"MaximumRetryCount":3}}'],
      ['"HostConfig":{"Memory":67108864,"Binds":["/tmp:/b"],"RestartPolicy":{"Name":"on-failure"}}'],
    ];
    const answer = await create(`{"Image":"busybox",${members.flat().join(",")}}`);
    expect(answer.status, answer.text).toBe(201);
    const { Id } = answer.json<{ Id: string }>();
    const RestartPolicy = { Name: "on-failure", MaximumRetryCount: 3 };
    expect(await engine().inspect(Id)).toMatchObject({
      Config: { Labels: { a: "1", b: "2" }, Healthcheck: { Interval: 5_000_000_000, Retries: 3 } },
      HostConfig: { CpuShares: 0, Memory: 67_108_864, Binds: ["/tmp:/b"], RestartPolicy },
    });
    await engine().remove(Id);
  });

  test("a second document after the first", async () => {
    const answer = await create('{"Image":"busybox"}{"Image":"nothing"}');
    expect(answer.status).toBe(engine().expected("second-document", 400, 201));
  });

  test("empty bodies", async () => {
    const empty = await create("");
    expect(empty.status).toBe(engine().expected("bad-json-status", 400, 500));
    const none = await engine().call("POST", "/containers/create");
    expect([400, 500]).toContain(none.status);
  });

  test("an empty chunked body does not count as missing", async () => {
    const id = await engine().running();
    const made = await engine().must(201, "POST", `/containers/${id}/exec`, { Cmd: ["true"] });
    const status = engine().expected("bad-json-status", 400, 500);
    const paths = [
      [`/exec/${made.json<{ Id: string }>().Id}/start`, 400],
      [`/containers/${id}/exec`, 400],
      [`/containers/${id}/update`, status],
      ["/auth", status],
      [`/commit?container=${id}`, 201],
    ] as const;
    const headers = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
    for (const [path, expected] of paths) {
      const answer = await engine().call("POST", path, "0\r\n\r\n", { headers });
      expect([path, answer.status]).toEqual([path, expected]);
      if (expected !== 201) {
        expect(messageOf(answer)).toMatch(
          engine().expected("bad-json-text", /^invalid JSON: got EOF while reading request body$/, /EOF/),
        );
      }
    }
    await engine().remove(id);
  });

  test("another content type, and none", async () => {
    for (const [headers, told] of [
      [{ "Content-Type": "text/plain" }, "unsupported Content-Type header (text/plain): must be 'application/json'"],
      [
        { "Content-Type": "application/xml" },
        "unsupported Content-Type header (application/xml): must be 'application/json'",
      ],
      [{}, "malformed Content-Type header (): mime: no media type"],
    ] as const) {
      const answer = await engine().call("POST", "/containers/create", '{"Image":"busybox"}', { headers });
      expect(answer.status).toBe(400);
      const referenceTold = `Content-Type specified (${Object.values(headers).join("")}) must be 'application/json'`;
      expect(messageOf(answer)).toBe(engine().expected("content-type-text", told, referenceTold));
    }
    const charset = { "Content-Type": "application/json; charset=utf-8" };
    const fine = await engine().call("POST", "/containers/create", '{"Image":"busybox"}', { headers: charset });
    expect(fine.status).toBe(201);
    await engine().remove(fine.json<{ Id: string }>().Id);
  });

  test("invalid headers are refused and the connection is closed", async () => {
    for (const bytes of [
      "\0\x01\x02\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
      "GET /_ping HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n",
      "GET /_ping HTTP/1.1\r\nHost: x\r\nContent-Length: nonsense\r\n\r\n",
      `GET /_ping HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(2 << 20)}\r\n\r\n`,
    ]) {
      const connection = await RawConnection.open(engine().socketPath, 5000);
      connection.send(bytes);
      const answer = (await connection.rest().catch(() => Buffer.alloc(0))).toString();
      expect(answer === "" || /^HTTP\/1\.1 (4\d\d|505) /.test(answer) ? "" : answer).toBe("");
      connection.close();
    }
  });

  test("a head whose lines end in LF alone is accepted", async () => {
    for (const bytes of [
      "GET /_ping HTTP/1.1\nHost: x\n\n",
      "GET /_ping HTTP/1.1\nHost: x\r\n\r\n",
      "GET /_ping HTTP/1.1\r\nHost: x\n\r\n",
      "GET /_ping HTTP/1.1\r\nHost: x\r\nX-Long: y\r\n\n",
    ]) {
      const connection = await RawConnection.open(engine().socketPath, 5000);
      connection.send(bytes);
      expect([bytes, (await connection.response()).status]).toEqual([bytes, 200]);
      connection.close();
    }
    const connection = await RawConnection.open(engine().socketPath, 5000);
    const [json, body] = ["Content-Type: application/json", '{"Image":"busybox"}'];
    const length = `Content-Length: ${body.length}`;
    connection.send(`POST /v1.41/containers/create HTTP/1.1\nHost: x\n${json}\n${length}\n\n${body}`);
    const answer = await connection.response("POST");
    expect(answer.status).toBe(201);
    await engine().remove(answer.json<{ Id: string }>().Id);
    connection.close();
  });

  test("a client that hangs up in the middle of a request or of an answer", async () => {
    const id = await engine().running({ Cmd: ["sh", "-c", "while :; do echo tick; sleep 0.02; done"] });
    const requests = [
      encodeRequest({ method: "POST", target: "/v1.41/containers/create", body: { Image: "busybox" } }).subarray(0, -5),
      Buffer.from("GET /v1.41/conta"),
      encodeRequest({ target: `/v1.41/containers/${id}/logs?stdout=1&follow=1` }),
      encodeRequest({ target: "/v1.41/events" }),
      encodeRequest({ method: "POST", target: `/v1.41/containers/${id}/wait` }),
      encodeRequest({ method: "POST", target: `/v1.41/containers/${id}/attach?stream=1&stdout=1` }),
      encodeRequest({ target: "/v1.41/info" }),
    ];
    for (const request of requests) {
      const connection = await RawConnection.open(engine().socketPath);
      connection.send(request);
      await engine().caughtUp();
      connection.close();
    }
    expect(await engine().inspect(id)).toMatchObject({ State: { Running: true } });
    await engine().remove(id);
  });

  test("an upload that is cut off", async () => {
    const before = await engine().read("/images/json");
    const connection = await RawConnection.open(engine().socketPath);
    connection.send("POST /v1.41/images/load HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhalf");
    await engine().caughtUp();
    connection.close();
    expect(await engine().read("/images/json")).toEqual(before);
  });

  test("ambiguous and unknown ids", async () => {
    const ids = await Promise.all(Array.from({ length: 17 }, () => engine().create()));
    const byFirst = new Map<string, number>();
    for (const id of ids) byFirst.set(id[0] ?? "", (byFirst.get(id[0] ?? "") ?? 0) + 1);
    const prefix = [...byFirst].find(([, count]) => count > 1)?.[0] ?? "";
    const answer = await engine().call("GET", `/containers/${prefix}/json`);
    expect([answer.status, messageOf(answer)]).toEqual(
      engine().expected(
        "ambiguous-id",
        [400, `multiple IDs found with provided prefix: ${prefix}`],
        [500, `Multiple IDs found with provided prefix: ${prefix}`],
      ),
    );
    for (const [method, path] of [
      ["GET", "json"],
      ["GET", "logs?stdout=1"],
      ["POST", "start"],
      ["POST", "stop"],
      ["POST", "wait"],
      ["POST", "resize?h=1&w=1"],
    ] as const) {
      const unknown = await engine().call(method, `/containers/zzz/${path}`);
      expect([path, unknown.status, messageOf(unknown)]).toEqual([path, 404, "No such container: zzz"]);
    }
    for (const id of ids) await engine().remove(id);
  });

  test("percent signs that cannot be decoded", async () => {
    for (const path of ["/containers/%zz/json", "/containers/%/json", "/containers/%ff/json"]) {
      const answer = await exchange(engine().socketPath, { target: `/v1.41${path}` });
      expect([path, [400, 404].includes(answer.status)]).toEqual([path, true]);
    }
  });

  test("header values that are not ASCII, and very long targets", async () => {
    const odd = await engine().call("GET", "/_ping", undefined, { headers: { "X-Odd": "\u00e9\u00ff" } });
    expect(odd.status).toBe(200);
    const long = await engine().call("GET", `/containers/json?nonsense=${"x".repeat(8000)}`);
    expect(long.status).toBe(200);
  });

  function create(body: string | Buffer): Promise<RawResponse> {
    return engine().call("POST", "/containers/create", body, { headers: JSON_TYPE });
  }
});
