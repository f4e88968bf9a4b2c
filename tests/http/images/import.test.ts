// Images from tars: the body of a request, or a file of a web server.
import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REFERENCE } from "../../support/allowed-skips.js";
import { busyboxLayer, sha256, tarOf } from "../../support/archives/images.js";
import { until } from "../../support/commands.js";
import { messageOf, type Json } from "../../support/engine-client.js";
import { onEngines, testExcept } from "../../support/on-engines.js";
import { past, stamp } from "../../support/past-events.js";
import { encodeRequest, RawConnection } from "../../support/raw-http.js";
import { linesOf } from "../../support/registry/pulls.js";
import { file, startWebServer, type WebServer } from "../../support/web-server.js";

onEngines("import", (engine, kind) => {
  const importing = async (query: string, tar?: Uint8Array): Promise<Json[]> =>
    linesOf(
      await engine().call("POST", `/images/create?${query}`, tar, {
        headers: { "Content-Type": "application/x-tar" },
      }),
    );
  const idOf = (lines: Json[]): string => String(lines.at(-1)?.["status"]);
  const forget = async (image: string): Promise<unknown> => engine().must(200, "DELETE", `/images/${image}?force=1`);

  test("from the body: one line, an image of one layer that runs, and its events", async () => {
    const layer = await busyboxLayer();
    const since = await stamp(engine());
    const changes = ['CMD ["echo","imported"]', "ENV A=b C=d", "LABEL l=1", "USER root"];
    const query = new URLSearchParams([
      ["fromSrc", "-"],
      ["repo", "made"],
      ["tag", "1"],
      ...changes.map((change) => ["changes", change] as [string, string]),
    ]);
    const lines = await importing(query.toString(), layer);
    expect(lines).toEqual([{ status: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }]);
    const id = idOf(lines);
    expect(await engine().read("/images/made:1/json")).toMatchObject({
      Id: id,
      RepoTags: ["made:1"],
      RepoDigests: [],
      Parent: "",
      Comment: "Imported from -",
      Os: "linux",
      Config: { Cmd: ["echo", "imported"], Env: ["A=b", "C=d"], Labels: { l: "1" }, User: "root" },
      RootFS: { Type: "layers", Layers: [`sha256:${sha256(layer)}`] },
    });
    const [step, ...rest] = await engine().read<Json[]>("/images/made:1/history");
    expect(step).toMatchObject({ Id: id, Comment: "Imported from -", CreatedBy: "", Tags: ["made:1"] });
    expect(rest).toEqual([]);
    expect((await engine().run({ Image: "made:1", Cmd: undefined })).stdout).toBe("imported\n");
    const events = (await past(engine(), since, { type: ["image"] })).map(({ Action, Actor }) => [Action, Actor]);
    expect(events).toEqual([
      ["tag", { ID: id, Attributes: expect.objectContaining({ name: "made:1", l: "1" }) }],
      ["import", { ID: id, Attributes: expect.objectContaining({ name: id, l: "1" }) }],
    ]);
    await forget("made:1");
  });

  test("in any compression, each the same layer; without a name, with a message, for a platform", async () => {
    const tar = await tarOf([{ name: "a", body: "content" }]);
    const compressed = [
      gzipSync(tar),
      execFileSync("xz", ["-c"], { input: tar }),
      execFileSync("bzip2", ["-c"], { input: tar }),
    ];
    for (const [at, bytes] of [tar, ...compressed].entries()) {
      const id = idOf(await importing(`fromSrc=-&message=number+${at}&tag=unused&platform=linux`, bytes));
      expect(await engine().read(`/images/${id}/json`)).toMatchObject({
        RepoTags: [],
        Comment: `number ${at}`,
        Size: 7,
        RootFS: { Layers: [`sha256:${sha256(tar)}`] },
      });
      await forget(id);
    }
  });

  test("without a body: an image without files", async () => {
    const id = idOf(await importing("fromSrc=-&repo=empty"));
    expect(await engine().read("/images/empty/json")).toMatchObject({ Id: id, RepoTags: ["empty:latest"], Size: 0 });
    await forget("empty");
  });

  test("what is refused before anything is read", async () => {
    const digest = `sha256:${"0".repeat(64)}`;
    for (const [query, status, text] of [
      ["fromSrc=-&repo=Upper", 400, "must be lowercase"],
      ["fromSrc=-&repo=a&tag=b:c", 400, "invalid tag format"],
      [`fromSrc=-&repo=a@${digest}`, 400, "cannot import digest reference"],
      ["fromSrc=-&repo=sha256", 400, "refusing to create an ambiguous tag using digest algorithm as name"],
      ["fromSrc=-&changes=RUN%20x", 400, "run is not a valid change command"],
      ["fromSrc=-&platform=windows/amd64", 400, "operating system is not supported"],
      ["fromSrc=-&platform=a/b/c/d", 400, '"a/b/c/d": cannot parse platform specifier: invalid argument'],
      ["fromSrc=ftp://web.example/x", 500, 'Get "ftp://web.example/x": unsupported protocol scheme "ftp"'],
      ["fromSrc=http://a%20b/x", 400, 'parse "http://a b/x": invalid character " " in host name'],
      ["", 500, 'Get "http:": http: no Host in request URL'],
    ] as const) {
      const answer = await engine().call("POST", `/images/create?${query}`);
      expect([query, answer.status]).toEqual([query, status]);
      expect(messageOf(answer)).toContain(text);
    }
  });

  test("what is no tar, or only the beginning of one, leaves nothing", async () => {
    const images = async (): Promise<Json[]> => engine().read("/images/json?all=1");
    const before = await images();
    const tar = await tarOf([{ name: "file", body: Buffer.alloc(9000, 1) }]);
    for (const bytes of [Buffer.from("junk"), tar.subarray(0, 5000), gzipSync(tar).subarray(0, 40)]) {
      const answer = await engine().call("POST", "/images/create?fromSrc=-&repo=broken", bytes, {
        headers: { "Content-Type": "application/x-tar" },
      });
      expect(answer.text).toContain("unexpected EOF");
    }
    expect(await images()).toEqual(before);
  });

  test("a client that hangs up in the middle of its tar leaves nothing", async () => {
    const before = await engine().read<Json[]>("/images/json?all=1");
    const tar = await tarOf([{ name: "file", body: Buffer.alloc(300_000, 1) }]);
    const connection = await RawConnection.open(engine().socketPath);
    const headers = { "Content-Type": "application/x-tar", "Content-Length": String(tar.length) };
    connection.send(encodeRequest({ method: "POST", target: "/v1.41/images/create?fromSrc=-&repo=half", headers }));
    connection.send(tar.subarray(0, 200_000));
    connection.close();
    const tarOfAnother = await tarOf([{ name: "whole", body: "whole" }]);
    const id = idOf(await importing("fromSrc=-&repo=whole", tarOfAnother));
    await forget(id);
    expect(await engine().read("/images/json?all=1")).toEqual(before);
  });

  let web: WebServer;
  const state = { tar: Buffer.alloc(0) as Buffer, isLeft: false, isUnderWay: false };
  beforeAll(async () => {
    state.tar = await tarOf([{ name: "web", body: Buffer.alloc(100_000, 2) }]);
    web = await startWebServer(engine().daemon.netns.hostAddress, {
      "/root.tar.gz": (response) => file(gzipSync(state.tar))(response),
      "/moved": (response) => void response.writeHead(302, { Location: "/root.tar.gz" }).end(),
      "/junk": file(Buffer.from("junk")),
      "/cut": (response) => {
        response.writeHead(200, { "Content-Length": state.tar.length });
        response.write(state.tar.subarray(0, 50_000), () => response.destroy());
      },
      "/slow": (response) => {
        response.on("close", () => (state.isLeft = true));
        response.writeHead(200, { "Content-Length": state.tar.length });
        response.write(state.tar.subarray(0, 50_000), () => (state.isUnderWay = true));
      },
    });
  });
  afterAll(async () => web.close());

  test("a file of a web server, also behind a redirect: lines of progress", async () => {
    for (const path of ["root.tar.gz", "moved"]) {
      const address = `${web.url}/${path}`;
      const lines = await importing(`fromSrc=${encodeURIComponent(address)}&repo=web`);
      expect(lines[0]).toEqual({ status: `Downloading from ${address}` });
      const size = gzipSync(state.tar).length;
      const importings = lines.filter(({ status }) => status === "Importing");
      expect(importings.at(-1)).toEqual({
        status: "Importing",
        progressDetail: { current: size, total: size },
        progress: expect.stringMatching(/^\[=+>\] +[\d.]+k?B\/[\d.]+k?B$/),
      });
      const { Id, Comment } = await engine().read<{ Id: string; Comment: string }>("/images/web/json");
      expect([Id, Comment]).toEqual([idOf(lines), `Imported from ${address}`]);
      expect(lines.length).toBe(importings.length + 2);
      await forget("web");
    }
  });

  test("user and query of an address go to the server, and our engines show them to nobody", async () => {
    const address = `${web.url.replace("http://", "http://me:s3cret@")}/root.tar.gz?signature=abc`;
    const lines = await importing(`fromSrc=${encodeURIComponent(address)}&repo=web`);
    const basic = Buffer.from("me:s3cret").toString("base64");
    expect(web.asked.at(-1)).toBe(`GET /root.tar.gz?signature=abc Basic ${basic}`);
    const shown = engine().expected("import-address", `${web.url}/root.tar.gz`, address);
    expect(lines[0]).toEqual({ status: `Downloading from ${shown}` });
    expect(await engine().read("/images/web/json")).toMatchObject({ Comment: `Imported from ${shown}` });
    await forget("web");
  });

  test("a web server that refuses, does not listen, breaks off, or has no tar", async () => {
    const ask = async (source: string): Promise<[number, string]> => {
      const answer = await engine().call("POST", `/images/create?fromSrc=${encodeURIComponent(source)}&repo=none`);
      if (answer.status !== 200) return [answer.status, messageOf(answer)];
      return [200, String(linesOf(answer).at(-1)?.["error"])];
    };
    const [status, text] = await ask(`${web.url}/nothing`);
    expect(status).toBe(404);
    expect(text).toMatch(new RegExp(`^failed to GET ${web.url}/nothing with status 404 Not Found`));
    const closed = "127.0.0.1:9/x";
    expect(await ask(closed)).toEqual([
      500,
      `Get "http://${closed}": dial tcp 127.0.0.1:9: connect: connection refused`,
    ]);
    expect(await ask(`${web.url}/junk`)).toEqual([200, expect.stringContaining("unexpected EOF")]);
    expect(await ask(`${web.url}/cut`)).toEqual([200, expect.stringContaining("unexpected EOF")]);
    expect((await engine().call("GET", "/images/none/json")).status).toBe(404);
  });

  testExcept(kind, { reference: REFERENCE.readsOn })("a client that leaves ends the download", async () => {
    const connection = await RawConnection.open(engine().socketPath);
    const target = `/v1.41/images/create?fromSrc=${encodeURIComponent(`${web.url}/slow`)}&repo=slow`;
    connection.send(encodeRequest({ method: "POST", target }));
    await connection.untilText("Downloading from");
    await until("half a tar", () => state.isUnderWay);
    connection.close();
    await until("the web server to be left", () => state.isLeft);
    expect((await engine().call("GET", "/images/slow/json")).status).toBe(404);
  });
});
