import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Input, engine, failures } from "../../hosts/shared/host.js";
import { SECRET_WORDS, withoutCredentials } from "../../hosts/redaction/credentials.js";
import { withoutUsersIn } from "../../hosts/redaction/addresses-in-text.js";
import { maskJson } from "../../hosts/redaction/masked-json.js";
import { decodeTrace } from "../../hosts/trace/decode.js";
import { replay } from "../../hosts/trace/replay.js";
import { RecordedEngine, identity, trapping, type Sent } from "./engine.js";
import { expectNone } from "./secret-forms.js";
import { AUTH, registryAuth } from "./stories.js";
import { answered, CUT_SHORT, exchange, REFUSED } from "../support/registry/registry-failures.js";

function masked(part: Partial<engine.Request>): engine.Request & { masked: boolean } {
  const request = { id: 1n, listener: "", method: "POST", target: "/", headers: "", body: { tag: "none" } as const };
  const result = withoutCredentials({ tag: "request", val: { ...request, ...part } });
  if (result.input.tag !== "request") throw new Error("no request");
  return { ...result.input.val, masked: result.masked };
}

function json(text: string): string {
  return new TextDecoder().decode(maskJson(new TextEncoder().encode(text)));
}

describe("headers", () => {
  test("X-Registry-Auth is encoded again, with the same keys and lengths", () => {
    const auth = { username: "jane", password: "pässword", serveraddress: "r:5000", other: [true, null, 120] };
    const value = registryAuth(auth);
    const { headers } = masked({ headers: `Host: x\nx-registry-auth:  ${value} \nAccept: y` });
    const [, line] = headers.split("\n") as [string, string];
    expect(headers.length).toBe(`Host: x\nx-registry-auth:  ${value} \nAccept: y`.length);
    const encoded = line.slice("x-registry-auth:".length).trim();
    expect(encoded.length).toBe(value.length);
    expect(Buffer.from(encoded, "base64url").toString()).toBe(
      '{"username":"xxxx","password":"xxxxxxxxx","serveraddress":"r:5000","xxxxx":[true,null,111]}',
    );
  });

  test("an undecodable value stays undecodable, with the same length", () => {
    for (const value of ["c2VjcmV0", "c2Vjcm", "a+b/", "c2VjcmV0===", "???"]) {
      const { headers } = masked({ headers: `X-Registry-Auth: ${value}` });
      const now = headers.slice("X-Registry-Auth: ".length);
      expect(now.length).toBe(value.length);
      expect(now).not.toBe(value);
      if (value === "c2VjcmV0") expect(Buffer.from(now, "base64url").toString()).toBe("{     ");
      else expect(now).toMatch(/^!+$/);
    }
  });

  test("X-Registry-Config keeps the registries' names", () => {
    const { headers } = masked({
      headers: `X-Registry-Config: ${registryAuth({ "r.example:5000": { username: "u", password: "p" } })}`,
    });
    const text = Buffer.from(headers.slice("X-Registry-Config: ".length), "base64url").toString();
    expect(text).toBe('{"r.example:5000":{"username":"x","password":"x"}}');
  });

  test("others keep at most their scheme; other headers stay", () => {
    const lines =
      "Authorization: Basic dTpw\nAUTHORIZATION: dTpw\nCookie: a=b\nReferer: https://h/?token=t\nX-Api-Key: k\nAccept: a/b\nHost: auth";
    expect(masked({ headers: lines }).headers).toBe(
      "Authorization: Basic xxxx\nAUTHORIZATION: xxxx\nCookie: xxx\nReferer: xxxxxxxxxxxxxxxxxx\nX-Api-Key: x\nAccept: a/b\nHost: auth",
    );
  });
});

test("credentials that a client was asked for keep their lengths", () => {
  const given = { username: "jane", password: "pässword", identityToken: "", registryToken: "", meta: "" };
  const input: Input = { tag: "completed", val: { op: 1n, outcome: { tag: "ok", val: { tag: "given", val: given } } } };
  const shown = { ...given, username: "xxxx", password: "xxxxxxxx" };
  expect(withoutCredentials(input)).toEqual({
    input: { tag: "completed", val: { op: 1n, outcome: { tag: "ok", val: { tag: "given", val: shown } } } },
    masked: false,
  });
});

describe("POST /auth", () => {
  const body = (text: string): engine.Body => ({ tag: "whole", val: new TextEncoder().encode(text) });
  const textOf = (request: engine.Request) =>
    request.body.tag === "whole" ? new TextDecoder().decode(request.body.val) : request.body.tag;

  test.each(["/auth", "/v1.41/auth", "/v1.41//auth/?x=1", "/%61uth", "http://host/auth", "/AUTH"])("%s", (target) => {
    const request = masked({ target, body: body('{"password":"secret"}') });
    expect([textOf(request), request.masked]).toEqual(['{"password":"xxxxxx"}', true]);
  });

  test("other bodies are not changed", () => {
    for (const target of ["/containers/create?name=auth", "/authx", "/images/auth/tag"]) {
      const request = masked({ target, body: body('{"password":"secret"}') });
      expect([textOf(request), request.masked]).toEqual(['{"password":"secret"}', false]);
    }
  });
});

describe("forms", () => {
  const hidden = (text: string, type = "application/x-www-form-urlencoded", target = "/images/create"): string => {
    const body: engine.Body = { tag: "whole", val: Buffer.from(text, "latin1") };
    const request = masked({ target, headers: `content-type: ${type}`, body });
    if (request.body.tag !== "whole") throw new Error("no body");
    const shown = Buffer.from(request.body.val).toString("latin1");
    expect(request.masked).toBe(shown !== text);
    return shown;
  };

  test.each([
    ["fromImage=jane:pw@host/app&tag=1", "fromImage=xxxxxxx@host/app&tag=1"],
    ["fromSrc=https://u:p%23q@host/x.tar?sig=abc&tag=1", "fromSrc=https://xxxxxxx@host/x.tar?xxxxxxx&tag=1"],
    ["fromSrc=me:s3cret@web.example/root.tar", "fromSrc=xxxxxxxxx@web.example/root.tar"],
    ["fromSrc=me%3As3cret%40web.example&repo=a", "fromSrc=xxxxxxxxxxx%40web.example&repo=a"],
    ["fromSrc=me:s#cret@web.example/", "fromSrc=xxxxxxxxx@web.example/"],
    // A body has no fragments.
    ["fromSrc=https://jane:p#w@host/", "fromSrc=https://xxxxxxxx@host/"],
    [
      "a=1&X-Registry-Auth=e30=&pass\x81word=\x81\xff&password=\x81\xff",
      "a=1&X-Registry-Auth=xxxx&pass\x81word=\x81\xff&password=xx",
    ],
    ["token=ab%zz;", "token=%xxxxx"],
    ["a=\x80\xe9&b", "a=\x80\xe9&b"],
  ])("%s", (text, shown) => {
    expect(hidden(text)).toBe(shown);
    expect(hidden(text, "Application/X-WWW-Form-Urlencoded; charset=utf-8")).toBe(shown);
    expect(hidden(text, "application/json")).toBe(text);
    for (const target of ["/containers/create", "/images/create?x=/containers/create"]) {
      expect(hidden(text, undefined, target)).toBe(shown);
    }
  });
});

test("a target's user and password", () => {
  const { target, masked: flag } = masked({
    target: "/images/create?fromSrc=https%3A%2F%2Fjane%3Asecret%40host%2Fx.tar&a=http://u:p@h/&b=http://h/@",
  });
  const secret = "jane%3Asecret".length;
  expect(target).toBe(
    `/images/create?fromSrc=https%3A%2F%2F${"x".repeat(secret)}%40host%2Fx.tar&a=http://xxx@h/&b=http://h/@`,
  );
  expect(flag).toBe(true);
});

test("a user and password before an image's name; a tag and a digest stay", () => {
  const targetOf = (target: string): string => masked({ target }).target;
  expect(targetOf("/images/create?fromImage=jane:pw@host/app")).toBe("/images/create?fromImage=xxxxxxx@host/app");
  expect(targetOf("/v1.41/images/jane%3Apw%40host/app/push")).toBe("/v1.41/images/xxxxxxxxx%40host/app/push");
  for (const parameter of ["images/app/tag?repo", "commit?container=a&repo", "images/get?names=b&names"]) {
    expect(targetOf(`/${parameter}=jane:pw@host/app`)).toBe(`/${parameter}=xxxxxxx@host/app`);
  }
  for (const kept of ["/images/create?fromImage=app:1@sha256:00", "/images/app:1%40sha256%3A00/json"]) {
    expect(targetOf(kept)).toBe(kept);
  }
});

test.each([
  ['{"Image":"jane:pw@host/app"}', '{"Image":"xxxxxxx@host/app"}'],
  [
    '{"Env":["é@"],"image" : "jane:p@w@host/app:1@sha256:00"}',
    '{"Env":["é@"],"image" : "xxxxxxxx@host/app:1@sha256:00"}',
  ],
  ['{"Image":"jane\\u003apw\\u0040host"}', '{"Image":"xxxxxxxxxxxx\\u0040host"}'],
  ['{"Image":"app:1@sha256:00","Cmd":["a:b@c"]}', '{"Image":"app:1@sha256:00","Cmd":["a:b@c"]}'],
  ['{"Image":"jane@host"}', '{"Image":"jane@host"}'],
])("a user and password before the image's name in a create: %s", (sent, shown) => {
  for (const target of ["/containers/create", "/v1.41/containers/create?name=x", "/containers/%63reate"]) {
    const request = masked({ target, body: { tag: "whole", val: Buffer.from(sent) } });
    if (request.body.tag !== "whole") throw new Error("no body");
    expect(Buffer.from(request.body.val).toString()).toBe(shown);
    expect(request.masked).toBe(shown !== sent);
  }
});

test.each([
  ["/events?token=abc&since=1", "/events?token=xxx&since=1"],
  ["/x?a=1&Access_Token=a%2Bb+c&b", "/x?a=1&Access_Token=xxxxxxx&b"],
  ["/x?my%2Dpass%77ord=abc", "/x?my%2Dpass%77ord=xxx"],
  ["/x?X-Registry-Auth=e30=&identitytoken=", "/x?X-Registry-Auth=xxxx&identitytoken="],
  ["http://host/x?token=a=b#c&token=d", "http://host/x?token=xxx#x&token=x"],
  [
    "/x?fromSrc=https%3A%2F%2Fhost%2Fx.tar%3Fsig%3Dabc&tag=1",
    "/x?fromSrc=https%3A%2F%2Fhost%2Fx.tar%3Fxxxxxxxxx&tag=1",
  ],
  // Unreadable text must stay unreadable.
  ["/events?token=ab%zz", "/events?token=%xxxx"],
  ["/events?token=a;c", "/events?token=;xx"],
  // A password may contain characters that end an address.
  ["/x?fromSrc=https://u:p/q@h/x", "/x?fromSrc=https://x:x/x@h/x"],
  ["/x?fromSrc=https://u:12p/q@h/x&a=http://h:80/@b", "/x?fromSrc=https://x:xxx/x@h/x&a=http://h:80/@b"],
  ["/x?fromSrc=https://u:p?q@h/x", "/x?fromSrc=https://x:x?xxxxx"],
  // Without a scheme, or with one that is escaped in part.
  ["/x?fromSrc=me:s3cret@h/x.tar&a=1", "/x?fromSrc=xxxxxxxxx@h/x.tar&a=1"],
  ["/x?from%53rc=me%3As3cret%40h%2Fx%3Fsig=1", "/x?from%53rc=xxxxxxxxxxx%40h%2Fx%3Fxxxxx"],
  ["/x?fromSrc=me@h/x", "/x?fromSrc=xx@h/x"],
  ["/x?fromSrc=me:pa/ss@h/x", "/x?fromSrc=xx:xx/xx@h/x"],
  ["/x?fromSrc=https%3A//u:p@h/x", "/x?fromSrc=https%3A//xxx@h/x"],
  ["/x?fromSrc=u:p@h/x?to=http://i", "/x?fromSrc=xxx@h/x?xxxxxxxxxxx"],
  ["/images/search?term=u:pass@reg.example/x", "/images/search?term=xxxxxx@reg.example/x"],
  ["/x?remote=https%3A%2F%2Fh%2Fx%23abc&t=1", "/x?remote=https%3A%2F%2Fh%2Fx%23xxx&t=1"],
])("parameters that sound like credentials: %s", (target, hidden) => {
  expect(masked({ target })).toMatchObject({ target: hidden, masked: true });
});

test.each([
  ["://".repeat(300_000), ""],
  [`${"://".repeat(150_000)}@${"://".repeat(150_000)}`, ""],
  [`://${":".repeat(900_000)}`, ""],
  ["%3a%2f%2f".repeat(100_000), ""],
  [`fromImage=${":".repeat(900_000)}`, ""],
  ["fromImage=".repeat(90_000), ""],
  [`fromSrc=${":".repeat(900_000)}@`, ""],
  [`fromSrc=${"a".repeat(900_000)}`, ""],
  [`/images/${"%3a%40sha256:".repeat(60_000)}`, ""],
  ["", `a${" ".repeat(900_000)}b`],
])("no target or header takes long to search, with any content: %.20s…", (target, header) => {
  // A pattern's steps cannot be counted. This limit is some hundred times the usual time; quadratic time would take
  // hours.
  const before = process.cpuUsage();
  masked({ target: `/x?${target}`, headers: `Authorization: ${header}` });
  expect(process.cpuUsage(before).user).toBeLessThan(30_000_000);
});

test("of all parameters that the core knows, only a commit's author sounds like a credential", () => {
  const core = fileURLToPath(new URL("../../core/assembly", import.meta.url));
  const files = readdirSync(core, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const sources = files.map((name) => readFileSync(join(core, name), "utf8")).join("\n");
  const found = sources.matchAll(/[qQ]uery(?:\.(?:first|has|all)\(|, )"(\w[^"]*)"/g);
  const names = [...new Set(Array.from(found, ([, name]) => name!))];
  expect(names).toEqual(expect.arrayContaining(["all", "author", "fromImage", "signal", "platforms"]));
  expect(names.filter((name) => masked({ target: `/x?${name}=abc` }).masked)).toEqual([]);
  expect(names.filter((name) => SECRET_WORDS.some((word) => name.toLowerCase().includes(word)))).toEqual(["author"]);
});

test("other parameters are not changed", () => {
  for (const target of [
    "/x?remote=http://npm.local:4873/@scope/p/-/p-1.tgz",
    "/x?remote=http%3A%2F%2Fh%3A80%2F%40b",
    "/x?remote=https://h/a:1@x",
    "/commit?author=jane&changes=ENV%20TOKEN%3Dabc",
    "/x?token",
    "/token?a=b",
    "/x?filters=%22token%3D1%22",
  ]) {
    expect(masked({ target })).toMatchObject({ target, masked: false });
  }
});

test.each([
  ["FROM a\nADD https://u:p@h/f /\n", "FROM a\nADD https://x:x@h/f /\n"],
  ['add --chown=1 \\\n  # why\n\n  ["https://u:p@h/f", \\\r\n "https://me:s3@h/g?a=b", "/"]\nRUN x', null],
  ["RUN curl https://u:p@h/f\nADD f /\n", "RUN curl https://u:p@h/f\nADD f /\n"],
  ["ADD f /\nRUN curl https://u:p@h/f\n", "ADD f /\nRUN curl https://u:p@h/f\n"],
  ['{"a":"ADD https://u:p@h/f"}', '{"a":"ADD https://u:p@h/f"}'],
  [
    "RUN cat <<A\nADD https://u:p@h/f\nA\nADD https://u:p@h/f /",
    "RUN cat <<A\nADD https://u:p@h/f\nA\nADD https://x:x@h/f /",
  ],
  ["COPY <<-'A' /a\nADD https://u:p@h\n\tA\n", "COPY <<-'A' /a\nADD https://u:p@h\n\tA\n"],
  ["RUN a \\\n# b\nADD https://u:p@h\n", "RUN a \\\n# b\nADD https://u:p@h\n"],
  [
    "# escape=`\nRUN a \\\nADD https://u:p@h `\n https://u:p@i /",
    "# escape=`\nRUN a \\\nADD https://x:x@h `\n https://x:x@i /",
  ],
  // These announce no here-document.
  ["RUN cat <<A\nADD https://u:p@h /", "RUN cat <<A\nADD https://x:x@h /"],
  ["RUN it's <<A\nADD https://u:p@h /\nA", "RUN it's <<A\nADD https://x:x@h /\nA"],
])("addresses that a Dockerfile adds files from: %j", (text, expected) => {
  const bytes = new TextEncoder().encode(text);
  const outcome = { tag: "ok", val: { tag: "bytes", val: bytes } } as const;
  const { input, masked } = withoutCredentials({ tag: "completed", val: { op: 1n, outcome } });
  const shown = expected ?? text.replace("u:p", "x:x").replace("me:s3", "xx:xx");
  expect(input).toEqual({
    tag: "completed",
    val: { op: 1n, outcome: { tag: "ok", val: { tag: "bytes", val: new TextEncoder().encode(shown) } } },
  });
  expect(masked).toBe(shown !== text);
});

test("an identity token in a completion", () => {
  const outcome = { tag: "ok", val: { tag: "token", val: "secret" } } as const;
  const input: Input = { tag: "completed", val: { op: 1n, outcome } };
  expect(withoutCredentials(input)).toEqual({
    input: { tag: "completed", val: { op: 1n, outcome: { tag: "ok", val: { tag: "token", val: "xxxxxx" } } } },
    masked: true,
  });
});

describe("a registry's address", () => {
  test.each([
    ["https://h:5000/v2/?token=abc", "https://h:5000/v2/?xxxxxxxxx"],
    ["h?token=a/b", "h?xxxxxxx/x"],
    ["h/#a%3fb", "h/#xxxxx"],
    ["h/x%3Fa=b", "h/x%3Fxxx"],
    ["https://u:p@h/x@y?z", "https://xxx@h/x@y?x"],
    ["https://u:p%40h/", "https://xxx%40h/"],
    // Characters that end an address, in a password that should have been encoded.
    ["https://u:p/q@h/x", "https://x:x/x@h/x"],
    ["https://u:p?q@h/x", "https://xxxxx@h/x"],
    ["u:p#q@h", "xxxxx@h"],
    ["u@://h", "xx://h"],
    ["https://[::1]:5000/v2/?a", "https://[::1]:5000/v2/?x"],
    ["https:\\/\\/u:p\\u0040h\\/x\\u003fab\\n", "https:\\/\\/xxx\\u0040h\\/x\\u003fxxxx"],
    ["h/?\u00ff", "h/?xx"],
    ["", ""],
    ["h:5000/v2/", "h:5000/v2/"],
  ])("%s", (sent, shown) => {
    expect(json(`{"serveraddress":"${sent}"}`)).toBe(`{"serveraddress":"${shown}"}`);
  });

  test("also where it is a key", () => {
    const auth = { "https://u:p@h/?q": { password: "p" } };
    const { headers } = masked({ headers: `X-Registry-Config: ${registryAuth(auth)}` });
    const text = Buffer.from(headers.slice("X-Registry-Config: ".length), "base64url").toString();
    expect(text).toBe('{"https://xxx@h/?x":{"password":"x"}}');
  });

  test("gives the core the same host as before, or none", async () => {
    const engine = new RecordedEngine();
    await engine.open();
    const part = fc.constantFrom(
      "u",
      "h.example",
      ":",
      "12",
      "@",
      "%40",
      "/",
      "?",
      "#",
      "%3f",
      "://",
      "[::1]",
      "_",
      "-",
    );
    const address = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(""));
    for (const serveraddress of fc.sample(address, { numRuns: 400, seed: 4 })) {
      await engine.ask({ method: "POST", target: "/auth", body: { ...AUTH, serveraddress } });
    }
    const trace = decodeTrace(engine.ring.text());
    expect(trace.segments[0]!.calls.length).toBeGreaterThan(400);
    expect(replay(trace, trapping, { identity }).difference).toBeNull();
  });
});

describe("a registry's message", () => {
  const shown = (failure: failures.Failure): unknown => {
    const { input, masked } = withoutCredentials({
      tag: "completed",
      val: { op: 1n, outcome: { tag: "err", val: failure } },
    });
    if (input.tag !== "completed" || input.val.outcome.tag !== "err") throw new Error("no failure");
    const { val: told } = input.val.outcome;
    expect(masked).toBe(JSON.stringify(told) !== JSON.stringify(failure));
    return told;
  };

  test("loses the queries, fragments and users of addresses", () => {
    const message = 'Get "https://u:p@h/x?sig=a#b": see HTTPS://h/?a and http://h/#b';
    expect(shown(answered(418, "http://h/?a", message, { details: "http://h/?a" }))).toEqual(
      answered(418, "http://h/?x", 'Get "https://xxx@h/x?xxxxxxx": see HTTPS://h/?x and http://h/#x', {
        details: "http://h/?x",
      }),
    );
    expect(shown(exchange({ tag: "other", val: "http://h/?a" }))).toEqual(
      exchange({ tag: "other", val: "http://h/?x" }),
    );
    expect(shown(exchange({ tag: "certificate-names", val: ["a", "http://h/?a"] }))).toEqual(
      exchange({ tag: "certificate-names", val: ["a", "http://h/?x"] }),
    );
  });

  test("without these stays unchanged", () => {
    for (const failure of [answered(404, "NAME_UNKNOWN"), REFUSED, CUT_SHORT]) expect(shown(failure)).toEqual(failure);
  });

  test("other messages stay: they may be in records", () => {
    const failure: failures.Failure = { tag: "internal", val: 'exec: "https://u:p@h/?a": no such file or directory' };
    expect(shown(failure)).toEqual(failure);
  });
});

describe("JSON", () => {
  test("keeps its structure", () => {
    expect(
      json('{ "password" : "a\\"b\\\\", "Username":"", "n": [-0.50e+3, true, null], "k\\u0065y": {"auth": "z"} }'),
    ).toBe(
      '{ "password" : "xxxxxx", "Username":"", "n": [-1.11e+1, true, null], "xxxxxxxx": {"auth": "x"} }'.replace(
        '"n"',
        '"x"',
      ),
    );
  });

  test("a registry's address stays, except for the part before its @", () => {
    expect(json('{"serveraddress":"https://u:p@h/"}')).toBe('{"serveraddress":"https://xxx@h/"}');
    expect(json('{"serveraddress":"u:p\\u0040h"}')).toBe('{"serveraddress":"xxx\\u0040h"}');
    expect(json('{"ServerAddress":"h:5000"}')).toBe('{"ServerAddress":"h:5000"}');
  });

  test("invalid JSON becomes other invalid JSON", () => {
    for (const text of ['{"password":"secret', '{"password":"\\x"}', "secret", '{"a":1} secret', '\ufeff{"a":"b"}']) {
      const now = json(text);
      expect(new TextEncoder().encode(text).length).toBe(now.length);
      expect(now.trim()).toBe("{");
    }
    expect(json("")).toBe("");
  });
});

describe("a user and a password of an address", () => {
  const SECRET = "hunter2-of-an-address";
  const ADDRESS = `https://jane:${SECRET}@host/x`;
  const asked = async (requests: Sent[]): Promise<{ statuses: number[]; text: string }> => {
    const engine = new RecordedEngine({ inputs: 1 << 20, bytes: 1 << 30 });
    await engine.open();
    const statuses: number[] = [];
    for (const request of requests) statuses.push((await engine.ask(request)).status);
    const text = engine.ring.text();
    expect(replay(decodeTrace(text), trapping, { identity }).difference).toBeNull();
    return { statuses, text };
  };
  const create = (body: object): Sent => ({
    method: "POST",
    target: "/containers/create",
    body: { Image: "busybox", ...body },
  });
  const post = (target: string, body?: unknown): Sent => ({ method: "POST", target, body });

  const refused: [string, Sent][] = [
    ["an option of a log driver", create({ HostConfig: { LogConfig: { Type: "gelf", Config: { a: ADDRESS } } } })],
    ["what no log driver knows", create({ HostConfig: { LogConfig: { Type: "json-file", Config: { a: ADDRESS } } } })],
    ["a volume's driver's option", post("/volumes/create", { Driver: "nfs", DriverOpts: { o: ADDRESS } })],
    [
      "an option of a mount's driver",
      create({
        HostConfig: {
          Mounts: [
            {
              ...{ Type: "volume", Source: "a", Target: "/a" },
              VolumeOptions: { DriverConfig: { Name: "nfs", Options: { a: ADDRESS } } },
            },
          ],
        },
      }),
    ],
    ["labels", create({ Image: "none", Labels: { [ADDRESS]: ADDRESS } })],
    ["variables", create({ Image: "none", Env: [`http_proxy=${ADDRESS}`] })],
    ["a command", create({ Image: "none", Cmd: ["curl", ADDRESS], Entrypoint: `a ${ADDRESS}` })],
    ["an exec's", post("/containers/none/exec", { Cmd: ["curl", ADDRESS], Env: [`A=${ADDRESS}`] })],
    ["a bind", create({ Image: "busybox", HostConfig: { Binds: [`${ADDRESS}:/a`] } })],
    ["what is no JSON", post("/containers/create", `{"Env":["A=${ADDRESS}",]}`)],
    ["the address of a build", post(`/build?remote=${ADDRESS}&buildargs={"A":"${ADDRESS}"}&cachefrom=["${ADDRESS}"]`)],
    [
      "a build by BuildKit",
      post("/grpc/moby.buildkit.v1.Control/Solve", {
        ...{ Ref: "a", Frontend: "dockerfile.v0", FrontendAttrs: { context: ADDRESS, "build-arg:A": ADDRESS } },
      }),
    ],
    ["what a commit changes", post(`/commit?container=none&changes=ENV%20A=${ADDRESS}&comment=${ADDRESS}`)],
    ["a commit's body", post("/commit?container=none", { Env: [`A=${ADDRESS}`] })],
    ["filters", { method: "GET", target: `/events?filters={"label":["${ADDRESS}"]}&since=x` }],
    ["a header", { method: "GET", target: "/_ping", headers: { Origin: ADDRESS, "X-Any": `a ${ADDRESS}` } }],
    ["a refused client's name", { method: "GET", target: "/none", headers: { "User-Agent": `a ${ADDRESS}` } }],
  ];

  test.each(refused)("%s", async (_what, request) => {
    const { text } = await asked([request]);
    expectNone(text, [SECRET]);
  });

  test("stay if the core keeps them, and it decides the same", async () => {
    const target = (path: string): string => `${path}?filters={"label":["a=${ADDRESS}"]}`;
    const { statuses, text } = await asked([
      {
        ...create({ Env: [`A=${ADDRESS}`], Labels: { a: ADDRESS }, Cmd: ["true", ADDRESS] }),
        target: "/containers/create?name=kept",
        headers: { "User-Agent": `a ${ADDRESS}` },
      },
      post(`/commit?container=kept&changes=ENV%20B=${ADDRESS}&comment=${ADDRESS}&author=${ADDRESS}`),
      { method: "GET", target: `/containers/kept/archive?path=${ADDRESS}` },
      post(target("/containers/prune")),
    ]);
    expect(statuses).toEqual([201, 201, 200, 200]);
    expect(text).toContain(`changes=ENV%20B=${ADDRESS}`);
  });

  test.each([
    [`{"a":"${ADDRESS}"}`, '{"a":"https://xxxx:xxxxxxxxxxxxxxxxxxxxx@host/x"}'],
    ['{"a":"https:\\/\\/u\\u003ap\\"q\\u0040h"}', '{"a":"https:\\/\\/x\\u003ax\\"x\\u0040h"}'],
    ['{"a":"https://u:\\ud83d\\ude00p@h/next"}', '{"a":"https://x:xxxxxxxxxxxxx@h/next"}'],
    ['["https://u\\q:p@h"]', '["https://x\\q:x@h"]'],
    ["https://u:p:/q@h https://u@h user@host http://h:1/", "https://x:x:/x@h https://x@h user@host http://h:1/"],
    ["http%3A%2F%2Fu%3Ap%40h", "http%3A%2F%2Fxxxxx%40h"],
  ])("in a text: %s", (text, shown) => expect(withoutUsersIn(text)).toBe(shown));

  test("no text takes long to search", () => {
    const before = process.cpuUsage();
    for (const part of [":", "://", "://@", "@", "\\u003a", "://\\"]) withoutUsersIn(`a://${part.repeat(300_000)}@`);
    expect(process.cpuUsage(before).user).toBeLessThan(30_000_000);
  });
});
