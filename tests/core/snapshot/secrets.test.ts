// Clients' credentials are in no snapshot, at no time and in no form, but still work.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Instance } from "../../../hosts/driver/instance.js";
import { SECRET_WORDS } from "../../../hosts/redaction/credentials.js";
import { sendFiles } from "../support/session-files.js";
import { ImageWorld, digestOf, encode, makeImage, resolved } from "../support/image-world.js";
import { record } from "../support/recordings.js";
import { answered } from "../../support/registry/registry-failures.js";

// Texts that do not occur in the core itself.
const AUTH = {
  username: "kqXv7wzJp2LmRt9",
  password: "Zq8nB~xW4vKd/6Yh",
  identitytoken: "gT5.pQ2-wRx7_Lz9Vb",
  registrytoken: "jH3kV8.mNq1WzX6.rC",
};
const HEADER = Buffer.from(JSON.stringify(AUTH)).toString("base64url") + "==".slice(0, padding(JSON.stringify(AUTH)));
const ISSUED = "dP9+sFy4/UvK2xGo7";
const META = "bR7xLw2-passed-on";
const SECRETS = [...Object.values(AUTH), HEADER, ISSUED, META];

/** A world, and its instance. */
function begin(): { world: ImageWorld; instance: Instance } {
  let world: ImageWorld | undefined;
  const [recording] = record(() => (world = new ImageWorld()));
  if (!world || !recording) throw new Error("no instance was opened");
  return { world, instance: recording.instance };
}

function pull(world: ImageWorld, header = HEADER): bigint {
  const headers = { "X-Registry-Auth": header, "x-meta-One": META, "X-Meta-Two": META };
  return world.ask("POST", "/images/create?fromImage=r.example/x&tag=1", undefined, headers);
}

const CREDENTIALS = {
  username: AUTH.username,
  password: AUTH.password,
  identityToken: AUTH.identitytoken,
  registryToken: AUTH.registrytoken,
  meta: "",
};
const PASSED_ON = { ...CREDENTIALS, meta: `x-meta-One: ${META}\nX-Meta-Two: ${META}\n` };

describe("a pull", () => {
  const image = makeImage(["a", "b"]);

  test("shows nothing in its state, and continues with its credentials", () => {
    const { world, instance } = begin();
    pull(world);
    expectClean(instance);
    const asked = world.take("resolve");
    expect(asked.val.credentials).toEqual(PASSED_ON);
    world.succeed(asked.op, resolved(image.manifest));
    expectClean(instance);
    const config = world.take("blob");
    expect(config.val.from.credentials).toEqual(PASSED_ON);
    world.succeed(config.op, { tag: "bytes", val: image.config });
    expectClean(instance);
    const layers = [world.take("layer"), world.take("layer")];
    for (const { op, val } of layers) {
      expect(val.source).toMatchObject({ tag: "registry", val: { from: { credentials: PASSED_ON } } });
      world.succeed(op, { tag: "size", val: 1n });
      expectClean(instance);
    }
    expect(world.call("GET", "/images/json").json).toHaveLength(2);
    expectClean(instance);
  });

  test("with shared layers, refused ones, and one whose client has left", () => {
    const { world, instance } = begin();
    const first = pull(world);
    pull(world);
    for (let i = 0; i < 2; i++) world.succeed(world.take("resolve").op, resolved(image.manifest));
    for (let i = 0; i < 2; i++) world.succeed(world.take("blob").op, { tag: "bytes", val: image.config });
    world.hangUp(first);
    expectClean(instance);
    pull(world, HEADER.slice(1));
    pull(world, Buffer.from(JSON.stringify({ ...AUTH, username: 7 })).toString("base64"));
    pull(world, Buffer.from(JSON.stringify(AUTH).slice(0, -2)).toString("base64"));
    expectClean(instance);
  });
});

test("a login, and the identity that the registry issues", () => {
  const { world, instance } = begin();
  const id = world.ask("POST", "/auth", { ...AUTH, serveraddress: "r.example" });
  expectClean(instance);
  const { op, val } = world.take("login");
  expect(val.credentials).toEqual(CREDENTIALS);
  world.succeed(op, { tag: "token", val: ISSUED });
  expect(world.answer(id).text).toContain(ISSUED);
  expectClean(instance);
  world.ask("POST", "/auth", { ...AUTH, serveraddress: "no such host" });
  world.ask("POST", "/auth", { ...AUTH, username: [] });
  world.ask("POST", "/auth", encode(JSON.stringify(AUTH).slice(0, -2)));
  expectClean(instance);
});

test("credentials that a client of BuildKit gives, and that it gives as an identity token", () => {
  for (const username of [AUTH.username, ""]) {
    const { world, instance } = begin();
    const methods = ["FileSync/DiffCopy", "Auth/Credentials"].map((method) => `/moby.filesync.v1.${method}`);
    world.ask("POST", "/session", undefined, {
      Upgrade: "h2c",
      "X-Docker-Expose-Session-Uuid": "s",
      "X-Docker-Expose-Session-Grpc-Method": methods.join("\nX-Docker-Expose-Session-Grpc-Method: "),
    });
    const message = { Ref: "a", Session: "s", Frontend: "dockerfile.v0" };
    world.makeCall("moby.buildkit.v1.Control/Solve", message);
    sendFiles(world, "FROM r.example/x\n");
    const { op, val } = world.take("find-credentials");
    expect(val.registry).toBe("r.example");
    const given = { username, password: AUTH.password, identityToken: "", registryToken: "", meta: "" };
    world.succeed(op, { tag: "given", val: given });
    expectClean(instance);
    const whole = username === "" ? { ...given, password: "", identityToken: AUTH.password } : given;
    expect(world.take("resolve").val.credentials).toEqual(whole);
    expectClean(instance);
  }
});

describe("addresses of web servers in a build", () => {
  const address = (secret: string): string => `https://me:${secret}@web.example/x?sig=${secret}`;
  const arrive = (world: ImageWorld, op: bigint, mediaType: string): void =>
    world.succeed(op, {
      tag: "downloaded",
      val: { digest: digestOf(encode("x")), size: 1n, disposition: "", mediaType, beginning: encode("x") },
    });

  test.each<[string, (world: ImageWorld, target: string) => void]>([
    ["in the target", (world, target) => void world.ask("POST", target)],
    [
      "in a form",
      (world, target) =>
        void world.ask("POST", "/build", encode(target.slice(target.indexOf("?") + 1)), {
          "Content-Type": "application/x-www-form-urlencoded",
        }),
    ],
  ])("of the context, %s", (_where, ask) => {
    const { world, instance } = begin();
    const given = encodeURIComponent(address(AUTH.username));
    ask(world, `/build?remote=${given}`);
    expectClean(instance);
    world.done(world.take("mount").op);
    expectClean(instance);
    world.done(world.take("mount").op);
    const { op, val } = world.take("download");
    expect(val.source.credentials).toEqual({ user: `me:${AUTH.username}`, query: `?sig=${AUTH.username}` });
    expectClean(instance);
    arrive(world, op, "text/plain");
    expectClean(instance);
  });

  test.each([`https://me:${AUTH.username}/x@web.example/`, `ftp://me:${AUTH.username}@web.example/`])(
    "that is refused: %s",
    (refused) => {
      const { world, instance } = begin();
      const id = world.ask("POST", `/build?remote=${encodeURIComponent(refused)}`);
      expectClean(instance);
      for (const { op } of world.open().includes("mount") ? [world.take("mount")] : []) world.done(op);
      expectClean(instance);
      if (world.open().includes("mount")) world.done(world.take("mount").op);
      expect(world.answer(id).text).not.toContain(AUTH.username);
      expectClean(instance);
    },
  );
});

test.each(["Control", "frontend.LLBBridge"])("an address of a build by BuildKit, %s", (service) => {
  const { world, instance } = begin();
  const options = { context: `https://me:${AUTH.username}@web.example/x`, filename: "Dockerfile" };
  const body = { Ref: "a", Session: "s", Frontend: "dockerfile.v0", FrontendAttrs: options, FrontendOpt: options };
  const id = world.makeCall(`moby.buildkit.v1.${service}/Solve`, body);
  expectClean(instance);
  if (service === "Control") expect(world.answer(id).text).toContain("a context at an address with a user or a query");
});

test.each(["Control", "frontend.LLBBridge"])("caches of a build by BuildKit elsewhere, %s", (service) => {
  const { world, instance } = begin();
  const entry = { Type: "gha", Attrs: { token: AUTH.password } };
  const options = {
    "cache-imports": JSON.stringify([{ Type: "s3", Attrs: { secret_access_key: AUTH.username } }]),
    "cache-from": `type=s3,secret_access_key=${AUTH.registrytoken}`,
  };
  world.makeCall(`moby.buildkit.v1.${service}/Solve`, {
    Ref: "a",
    Session: "s",
    Frontend: "dockerfile.v0",
    FrontendAttrs: options,
    FrontendOpt: options,
    Cache: { Exports: [entry], Imports: [entry] },
    CacheImports: [entry],
  });
  expectClean(instance);
});

test.each([
  ["GET", "/events"],
  ["POST", "/build"],
  ["GET", "/nothing"],
  ["GET", "/v1.1/info"],
  ["POST", "/images/create?fromImage=INVALID"],
])("%s %s, which does not use them", (method, target) => {
  const { world, instance } = begin();
  const headers = { Host: "d", "x-registry-auth": HEADER, "X-Registry-Config": HEADER, "X-REGISTRY-AUTH": HEADER };
  world.ask(method, target, undefined, headers);
  expectClean(instance);
});

describe("headers and parameters that sound like credentials", () => {
  const kept = "hunter2hunter2";
  const memoryHas = (instance: Instance): boolean => {
    const memory = Buffer.from(instance.snapshot());
    return memory.includes(kept) || memory.includes(kept, 0, "utf16le");
  };

  test.each([
    "X-Meta-Auth-Token",
    "x-api-key",
    "X-APIKEY",
    "Set-Cookie2",
    ...SECRET_WORDS.map((word) => `X-${word}-Y`),
  ])("%s is stored nowhere while the request is open", (name) => {
    const { world, instance } = begin();
    world.ask("GET", "/events", undefined, { Host: "d", [name]: kept, "User-Agent": "agent" });
    expect(memoryHas(instance)).toBe(false);
  });

  test.each(["token", "access%5Ftoken", "PASSWORD", "X-Registry-Auth", "credentials"])(
    "so are parameters: %s",
    (name) => {
      const { world, instance } = begin();
      world.ask("GET", `/events?a=b&${name}=${kept}&since=1`);
      world.ask("GET", `/events?${name}=${kept.replace("h", "%68")}`);
      expect(memoryHas(instance)).toBe(false);
    },
  );

  test("other parameters are kept", () => {
    const { world, instance } = begin();
    world.ask("GET", `/events?author=${kept}`);
    expect(memoryHas(instance)).toBe(true);
  });

  test("other headers are kept", () => {
    const { world, instance } = begin();
    world.ask("GET", "/events", undefined, { "X-Other": kept });
    expect(memoryHas(instance)).toBe(true);
  });

  test("are the same for the core as for traces", () => {
    const source = readFileSync(new URL("../../../core/assembly/api/secrets.ts", import.meta.url), "utf8");
    const [, list = ""] = /SECRET_WORDS: string\[\] = \[([^\]]*)\]/.exec(source) ?? [];
    const words = Array.from(list.matchAll(/"([^"]+)"/g), ([, word]) => word!);
    expect(words.sort()).toEqual([...SECRET_WORDS].sort());
  });
});

test("long after", () => {
  const { world, instance } = begin();
  for (let i = 0; i < 20; i++) {
    pull(world);
    world.ask("POST", "/auth", { ...AUTH, serveraddress: "r.example" });
    world.succeed(world.take("login").op, { tag: "token", val: ISSUED });
    if (i % 2 === 0) world.failAs(world.take("resolve").op, answered(401));
    for (let more = 0; more < 20; more++)
      world.call("POST", `/containers/create?name=c${i}x${more}`, { Image: "busybox" });
    if (i % 3 === 0) instance.collect();
  }
  expectClean(instance);
});

test("the search works: a text that is not marked as secret is found", () => {
  const { world, instance } = begin();
  world.ask("GET", "/events", undefined, { "X-Another": HEADER });
  expect(found(instance.snapshot())).not.toEqual([]);
});

function expectClean(instance: Instance): void {
  expect(found(instance.snapshot())).toEqual([]);
}

/** Eight consecutive characters of any secret: as UTF-8, UTF-16, or base64 of it. */
function found(snapshot: Uint8Array): string[] {
  const memory = Buffer.from(snapshot.buffer, snapshot.byteOffset, snapshot.length);
  return PARTS.filter((part) => memory.includes(part, 0, "utf8") || memory.includes(part, 0, "utf16le"));
}

const PARTS = SECRETS.flatMap((secret) => [secret, ...encodings(secret)]).flatMap((form) =>
  Array.from({ length: Math.floor(form.length / 4) - 1 }, (_, at) => form.slice(at * 4, at * 4 + 8)),
);

/** Base64 of a text at any offset, without the characters that depend on its neighbours. */
function encodings(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(" ".repeat(shift) + text).toString("base64");
    return encoded.slice(shift === 0 ? 0 : 4, -4);
  });
}

function padding(text: string): number {
  return (3 - (Buffer.byteLength(text) % 3)) % 3;
}
