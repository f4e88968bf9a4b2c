// ADD of files of web servers, and builds whose context a web server has.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { rawTar } from "../../support/archives/tar.js";
import { until } from "../../support/commands.js";
import { messageOf } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { encodeRequest, RawConnection } from "../../support/raw-http.js";
import { file, startWebServer, type WebServer } from "../../support/web-server.js";
import { buildOn, builtOf, type Built } from "./building.js";

const TAR = rawTar([
  { name: "Dockerfile", body: "FROM busybox\nCOPY a /a\n" },
  { name: "other", body: "FROM busybox\nCOPY a /b\n" },
  { name: "a", body: "a of the tar\n" },
]);
const HELLO = Buffer.from("hello\n");

onEngines("web servers in builds", (engine, kind) => {
  let web: WebServer;
  const state = { text: HELLO as Buffer, isLeft: false };
  beforeAll(async () => {
    const typed =
      (type: string, bytes: Buffer): Parameters<typeof startWebServer>[1][string] =>
      (response) =>
        void response.writeHead(200, { "Content-Type": type, "Content-Length": bytes.length }).end(bytes);
    const dockerfile = Buffer.from("FROM busybox\nLABEL from=web\n");
    web = await startWebServer(engine().daemon.netns.hostAddress, {
      "/f.txt": (response) =>
        void response
          .writeHead(200, { "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT", "Content-Length": state.text.length })
          .end(state.text),
      "/a%20b": file(HELLO),
      "/named/": (response) =>
        void response.writeHead(200, { "Content-Disposition": 'attachment; filename="x/its name"' }).end(HELLO),
      "/nameless/": file(HELLO),
      "/moved": (response) => void response.writeHead(302, { Location: "/f.txt" }).end(),
      "/t.tar.gz": typed("application/gzip", gzipSync(TAR)),
      "/octets": typed("application/octet-stream", Buffer.from(TAR)),
      "/Dockerfile": typed("text/plain; charset=utf-8", dockerfile),
      "/Dockerfile.octets": typed("application/octet-stream", dockerfile),
      "/copies": typed("text/plain", Buffer.from("FROM busybox\nCOPY a /\n")),
      "/page": typed("text/html", Buffer.from("<html></html>")),
      "/empty": file(Buffer.alloc(0)),
      "/slow": (response) => {
        response.on("close", () => (state.isLeft = true));
        response.writeHead(200, { "Content-Length": 1000 }).write("half");
      },
    });
  });
  afterAll(async () => web.close());

  const build = (dockerfile: string, query = ""): Promise<Built> =>
    buildOn(engine(), dockerfile, [{ name: "c", body: "of the context\n" }], query);
  const run = async (image: string, command: string): Promise<string> =>
    (await engine().run({ Image: image, Entrypoint: ["sh", "-c"], Cmd: [command] })).stdout;
  const failed = async (dockerfile: string): Promise<unknown> => (await build(dockerfile)).error?.["error"];
  const remote = (address: string, query = ""): ReturnType<ReturnType<typeof engine>["call"]> =>
    engine().call("POST", `/build?remote=${encodeURIComponent(address)}${query}`);

  test("a file gets its name, mode 0600, root as its owner, and the server's time; a tar stays one", async () => {
    const { id } = await build(
      `FROM busybox\nADD ${web.url}/f.txt?q=1 ${web.url}/a%20b ${web.url}/t.tar.gz c /d/\nADD ${web.url}/named/ /d/\n` +
        `ADD ${web.url}/moved /new/\nADD ${web.url}/nameless/ /plain\nADD --chown=5:6 ${web.url}/f.txt /given\n`,
    );
    const told = await run(id, 'cd /; stat -c "%n %a %u:%g %Y" d/* new/* plain given; cat d/c given');
    expect(told.trimEnd().split("\n")).toEqual([
      "d/a b 600 0:0 0",
      expect.stringMatching(/^d\/c 644 0:0 /),
      "d/f.txt 600 0:0 1445412480",
      "d/its name 600 0:0 0",
      "d/t.tar.gz 600 0:0 0",
      "new/moved 600 0:0 1445412480",
      "plain 600 0:0 0",
      "given 600 5:6 1445412480",
      "of the context",
      "hello",
    ]);
  });

  test("the cache looks at what was fetched", async () => {
    const dockerfile = `FROM busybox\nADD ${web.url}/f.txt /f\n`;
    const first = await build(dockerfile);
    expect((await build(dockerfile)).lines).toContain("Using cache");
    state.text = Buffer.from("other\n");
    const { id } = await build(dockerfile);
    state.text = HELLO;
    expect(id).not.toBe(first.id);
    expect(await run(id, "cat /f")).toBe("other\n");
    const [step] = await engine().read<{ CreatedBy: string }[]>(`/images/${id}/history`);
    expect(step?.CreatedBy).toMatch(/^\/bin\/sh -c #\(nop\) ADD [0-9a-f]{64} in \/f $/);
  });

  test("what cannot be fetched, and what has no name", async () => {
    expect(await failed(`FROM busybox\nADD ${web.url}/none /d\n`)).toMatch(
      new RegExp(`^ADD failed: failed to GET ${web.url}/none with status 404 Not Found`),
    );
    expect(await failed("FROM busybox\nADD http://127.0.0.1:9/x /d\n")).toBe(
      'ADD failed: Get "http://127.0.0.1:9/x": dial tcp 127.0.0.1:9: connect: connection refused',
    );
    expect(await failed("FROM busybox\nADD http:///x /d\n")).toBe(
      'ADD failed: Get "http:///x": http: no Host in request URL',
    );
    expect(await failed(`FROM busybox\nADD ${web.url}/nameless/ /d/\n`)).toBe(
      `ADD failed: cannot determine filename for source ${web.url}/nameless/`,
    );
  });

  testExcept(kind, { reference: REFERENCE.laterFlags })("a checksum, a mode, and a tar to unpack", async () => {
    const digest = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    const { id } = await build(
      `FROM busybox\nADD --checksum=${digest(HELLO)} --chmod=755 ${web.url}/f.txt /f\nADD --unpack=true ${web.url}/t.tar.gz /t\n`,
    );
    expect(await run(id, "stat -c %a /f; cat /t/a")).toBe("755\na of the tar\n");
    const wrong = digest(Buffer.from("x"));
    expect(await failed(`FROM busybox\nADD --checksum=${wrong} ${web.url}/f.txt /f\n`)).toBe(
      `ADD failed: digest mismatch ${digest(HELLO)}: ${wrong}`,
    );
    expect(await failed(`FROM busybox\nADD --checksum=${wrong} c /f\n`)).toBe(
      "checksum can't be specified for non-HTTP(S) sources",
    );
  });

  test("user and password of an address go to the server, and our engines tell them to nobody", async () => {
    const secret = web.url.replace("http://", "http://me:s3cret@");
    const shown = web.url.replace("http://", "http://xxxxx@");
    const { lines } = await build(`FROM busybox\nADD ${secret}/f.txt /f\n`);
    const basic = Buffer.from("me:s3cret").toString("base64");
    expect(web.asked.at(-1)).toBe(`GET /f.txt Basic ${basic}`);
    const step = engine().expected("build-address", `${shown}/f.txt`, `${secret}/f.txt`);
    expect(lines).toContain(`Step 2/2 : ADD ${step} /f`);
    const message = messageOf(await remote(`${secret}/none`));
    const address = engine().expected("build-address", web.url, secret);
    expect(message).toMatch(
      new RegExp(`^error downloading remote context ${address}/none: failed to GET ${address}/none `),
    );
  });

  test("a tar or a Dockerfile as the context", async () => {
    for (const path of ["t.tar.gz", "octets"]) {
      const { id } = builtOf((await remote(`${web.url}/${path}`)).text);
      expect(await run(id, "cat /a")).toBe("a of the tar\n");
    }
    const other = builtOf((await remote(`${web.url}/t.tar.gz`, "&dockerfile=other")).text);
    expect(await run(other.id, "cat /b")).toBe("a of the tar\n");
    for (const path of ["Dockerfile", "Dockerfile.octets"]) {
      const answer = await remote(`${web.url}/${path}`, "&dockerfile=unused");
      expect(answer.text).toContain(`{"status":"${web.url}/${path}","progressDetail":{"current":28}`);
      const { id } = builtOf(answer.text);
      expect(await engine().read(`/images/${id}/json`)).toMatchObject({ Config: { Labels: { from: "web" } } });
    }
  });

  test("a context that is not there, or is none", async () => {
    const ask = async (address: string): Promise<[number, string]> => {
      const answer = await remote(address);
      return [answer.status, messageOf(answer)];
    };
    const page = `${web.url}/page`;
    const undetected = `error detecting content type for remote ${page}: unsupported Content-Type "text/html"`;
    expect(await ask(page)).toEqual([500, undetected]);
    const empty = `${web.url}/empty`;
    expect(await ask(empty)).toEqual([500, `error detecting content type for remote ${empty}: empty response`]);
    expect(await ask(`${web.url}/none`)).toEqual([
      404,
      expect.stringContaining(
        `error downloading remote context ${web.url}/none: failed to GET ${web.url}/none with status 404 Not Found`,
      ),
    ]);
    expect(await ask("nonsense")).toEqual([500, "remoteURL (nonsense) could not be recognized as URL"]);
    expect((await ask("client-session"))[0]).toBe(400);
    expect(builtOf((await remote(`${web.url}/copies`)).text).error?.["error"]).toBe(
      "COPY failed: missing build context",
    );
    expect(builtOf((await remote(`${web.url}/f.txt`)).text).error?.["error"]).toMatch(
      /^dockerfile parse error.* line 1: unknown instruction: hello( \(did you mean shell\?\))?$/i,
    );
  });

  testExcept(kind, { reference: REFERENCE.readsOn })("a client that leaves ends the download", async () => {
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(
      encodeRequest({ method: "POST", target: `/v1.41/build?remote=${encodeURIComponent(`${web.url}/slow`)}` }),
    );
    await until("the web server to be asked", () => web.asked.includes("GET /slow"));
    connection.close();
    await until("the web server to be left", () => state.isLeft);
  });
});
