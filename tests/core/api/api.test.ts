// How the core parses requests: versions, headers, parameters, filters.

import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor, randomFrom } from "../support/door.js";

let door: Door;
beforeAll(async () => {
  door = await openDoor("api-door");
}, 60_000);

const hex = "0123456789abcdef".repeat(4);
const base64url = (text: string) => Buffer.from(text).toString("base64").replaceAll("+", "-").replaceAll("/", "_");

describe("versions", () => {
  test.each([
    ["1.24", 24, ""],
    ["1.41", 41, ""],
    ["1.55", 55, ""],
    ["1.041", 41, ""],
    ["1.41.3", 41, ""],
    ["1.56", 55, "client version 1.56 is too new. Maximum supported API version is 1.55"],
    ["2.0", 55, "client version 2.0 is too new. Maximum supported API version is 1.55"],
    ["1.99999999999999999999", 55, /too new/],
    ["1.23", 23, /^client version 1.23 is too old. Minimum supported API version is 1.24, please upgrade your/],
    ["1.5", 5, /too old/],
    ["...", 0, /too old/],
    ["", 0, /too old/],
  ])("%s", (text, minor, refusal) => {
    const message: unknown = typeof refusal === "string" ? refusal : expect.stringMatching(refusal);
    expect(door.call("version", text)).toEqual([minor, message]);
  });

  test("numbers compare component by component", () => {
    expect(door.call("versions", "1.5", "1.41")).toBe("<");
    expect(door.call("versions", "1.41", "1.41.0")).toBe("=");
    expect(door.call("versions", "1.41.1", "1.41")).toBe(">");
  });

  test("segments and endpoints", () => {
    expect(["v1.41", "v1", "v...", "v", "1.41", "v1.x", "version"].map((s) => door.call("versionSegment", s))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(door.call("newer")).toBe("GET /x requires minimum API version 1.48");
  });
});

describe("headers", () => {
  const lines = "Host: d\nX-Registry-Auth:  e30=\r\nx-meta-a: 1\nX-Meta-B:2\nEmpty:";

  test("are found by name of any case", () => {
    expect(door.call("header", lines, "x-registry-auth")).toBe("e30=");
    expect(door.call("header", lines, "empty")).toBe("");
    expect(door.call("header", lines, "x")).toBe(null);
    expect(door.call("header", "", "x")).toBe(null);
    expect(door.call("prefixed", lines, "x-meta-")).toEqual(["x-meta-a: 1", "X-Meta-B:2"]);
  });

  test.each([
    ["application/json", "application/json"],
    ["Application/JSON ; charset=utf-8", "application/json"],
    ["text", "text"],
    ["a/b c", ""],
    ["/x", ""],
  ])("media type %j", (value, type) => {
    expect(door.call("mediaType", value)).toBe(type);
  });

  test.each([
    ["Content-Type: application/json", true, null],
    ["Content-Type: application/json; charset=utf-8", true, null],
    ["", false, null],
    ["", true, /^malformed Content-Type header \(\): mime: no media type$/],
    [
      "Content-Type: text/plain",
      true,
      /^unsupported Content-Type header \(text\/plain\): must be 'application\/json'$/,
    ],
    [
      "Content-Type: a/b c",
      true,
      /^malformed Content-Type header \(a\/b c\): mime: unexpected content after media subtype$/,
    ],
    ["Content-Type: a b", true, /: mime: expected slash after first token$/],
    ["Content-Type: a/;", true, /: mime: expected token after slash$/],
    ["Content-Type: json", true, /^unsupported Content-Type header \(json\)/],
  ])("JSON bodies with %j", (headers, hasBody, refusal) => {
    const answer = door.call("jsonType", headers, hasBody);
    if (refusal === null) expect(answer).toBe(null);
    else expect(answer).toMatch(refusal);
  });
});

describe("parameters", () => {
  test("booleans: nearly everything is true", () => {
    const truth = (query: string, absent = false) => door.call("flag", query, absent);
    for (const word of ["", "0", "no", "False", "NONE", "%20false+"]) expect(truth(`x=${word}`, true)).toBe(false);
    for (const word of ["1", "off", "n", "yes", "true"]) expect(truth(`x=${word}`)).toBe(true);
    expect([truth("x"), truth("x", true), truth("y", true), truth("")]).toEqual([false, false, true, false]);
  });

  test("strict booleans", () => {
    expect(["x=T", "x=0", "x=", "", "x=yes"].map((query) => door.call("strictFlag", query))).toEqual([
      true,
      false,
      false,
      false,
      'strconv.ParseBool: parsing "yes": invalid syntax',
    ]);
  });

  test.each([
    ["x=10", 10],
    ["x=-1", -1],
    ["x=%2B7", 7],
    ["x=9223372036854775807", 2 ** 63],
    ["x=-9223372036854775808", -(2 ** 63)],
    ["x=", null],
    ["", null],
    ["x=a", 'strconv.Atoi: parsing "a": invalid syntax'],
    ["x=-", 'strconv.Atoi: parsing "-": invalid syntax'],
    ["x=1.5", 'strconv.Atoi: parsing "1.5": invalid syntax'],
    ["x=9223372036854775808", 'strconv.Atoi: parsing "9223372036854775808": value out of range'],
    ["x=99999999999999999999999", 'strconv.Atoi: parsing "99999999999999999999999": value out of range'],
  ])("integers %j", (query, value) => {
    expect(door.call("integer", query)).toBe(value);
  });

  test.each([
    ["x=0", 0],
    ["x=4294967295", 4294967295],
    ["x=4294967296", 'invalid resize height "4294967296": value out of range'],
    ["x=-1", 'invalid resize height "-1": invalid syntax'],
    ["", 'invalid resize height "": invalid syntax'],
  ])("sizes %j", (query, value) => {
    expect(door.call("unsigned", query)).toBe(value);
  });
});

describe("filters", () => {
  test.each([
    ["", {}],
    ["null", {}],
    ["{}", {}],
    ['{"name":{"a":true,"b":false}}', { name: ["a", "b"] }],
    ['{"name":["a","b","a"],"label":["x=y"]}', { name: ["a", "b"], label: ["x=y"] }],
    ['{"name":null}', { name: [] }],
    ['{"name":{"a":true},"id":["b"]}', "invalid filter"],
    ['{"name":{"a":1}}', "invalid filter"],
    ['{"name":[1]}', "invalid filter"],
    ['{"name":"a"}', "invalid filter"],
    ["[]", "invalid filter"],
    ["x", "invalid filter"],
    ['{"name":["a"]', "invalid filter"],
    ['{"nam":["a"]}', "invalid filter 'nam'"],
    ['{"Name":["a"]}', "invalid filter 'Name'"],
  ])("%s", (text, filters) => {
    expect(door.call("filters", text)).toEqual(filters);
  });

  test.each([
    ["exact", '{"status":["a","b"]}', "status", "b", true],
    ["exact", '{"status":["a"]}', "status", "b", false],
    ["exact", "{}", "status", "b", true],
    ["regex", '{"name":["^/?we"]}', "name", "/web", true],
    ["regex", '{"name":["["]}', "name", "a", false],
    ["regex", '{"name":["["]}', "name", "[", true],
    ["regex", '{"name":["x","b$"]}', "name", "web", true],
    ["prefix", '{"id":["ab"]}', "id", "abc", true],
    ["prefix", '{"id":["b"]}', "id", "abc", false],
    ["glob", '{"reference":["busy*:latest"]}', "reference", "busybox:latest", true],
    ["glob", '{"reference":["busy*"]}', "reference", "a/busybox", false],
    ["labels", '{"label":["a","c=d"]}', "label", "a=b,c=d", true],
    ["labels", '{"label":["a","c=e"]}', "label", "a=b,c=d", false],
    ["labels", '{"label":["a=b=c"]}', "label", "a=b", false],
    ["labels", "{}", "label", "a=b", true],
    ["flag", "{}", "dangling", "", "0 invalid filter 'dangling=[]'"],
    ["flag", '{"dangling":["false"]}', "dangling", "", "1 invalid filter 'dangling=[false]'"],
    ["flag", '{"dangling":["1","true"]}', "dangling", "", "2 invalid filter 'dangling=[1 true]'"],
    ["flag", '{"dangling":["x"]}', "dangling", "", "3 invalid filter 'dangling=[x]'"],
    ["flag", '{"dangling":["0","1"]}', "dangling", "", "3 invalid filter 'dangling=[0 1]'"],
    ["flag", '{"dangling":["True"]}', "dangling", "", "3 invalid filter 'dangling=[True]'"],
  ])("%s %s %s %j", (kind, filters, key, text, answer) => {
    expect(door.call("matches", filters, kind, key, text)).toBe(answer);
  });
});

describe("X-Registry-Auth", () => {
  const anonymous = [true, "", "", "", "", ""];

  test("is decoded strictly; anything else is anonymous", () => {
    const auth = '{"Username":"u","password":"p?>","serveraddress":"h:5000"}';
    expect(door.call("credentials", base64url(auth))).toEqual([false, "u", "p?>", "", "", "h:5000"]);
    expect(door.call("credentials", base64url('{"identitytoken":"t","registrytoken":"r"}'))).toEqual([
      false,
      "",
      "",
      "t",
      "r",
      "",
    ]);
    const bad = ['{"username":"u"} {}', '{"username":1}', "[]", '{"username":"u"', "nope", '{"auth":"dTpw"}', "null"];
    for (const text of bad) expect(door.call("credentials", base64url(text))).toEqual(anonymous);
    for (const header of ["", "e30=", "e30", "%%%", base64url(auth).replace(/=*$/, "!")]) {
      expect(door.call("credentials", header)).toEqual(anonymous);
    }
  });

  test("random headers never trap", () => {
    const random = randomFrom(19);
    for (let round = 0; round < 1000; round++) {
      door.call(
        "credentials",
        base64url(String.fromCharCode(...Array.from({ length: random(30) }, () => random(128)))),
      );
    }
  });
});

describe("references", () => {
  const digest = `sha256:${hex}`;

  test.each([
    ["busybox", "docker.io/library/busybox", "busybox"],
    ["busybox:1.36", "docker.io/library/busybox:1.36", "busybox:1.36"],
    ["docker.io/library/busybox", "docker.io/library/busybox", "busybox"],
    ["index.docker.io/busybox", "docker.io/library/busybox", "busybox"],
    ["user/app", "docker.io/user/app", "user/app"],
    ["docker.io/library/a/b", "docker.io/library/a/b", "library/a/b"],
    ["localhost/app", "localhost/app", "localhost/app"],
    ["localhost:5000/a/b:t", "localhost:5000/a/b:t", "localhost:5000/a/b:t"],
    ["[::1]:5000/a", "[::1]:5000/a", "[::1]:5000/a"],
    ["Host/app", "Host/app", "Host/app"],
    ["a.b/c", "a.b/c", "a.b/c"],
    [`busybox@${digest}`, `docker.io/library/busybox@${digest}`, `busybox@${digest}`],
    [`busybox:t@${digest}`, `docker.io/library/busybox:t@${digest}`, `busybox:t@${digest}`],
    ["a__b", "docker.io/library/a__b", "a__b"],
    ["a---b", "docker.io/library/a---b", "a---b"],
  ])("%s", (text, canonical, familiar) => {
    expect((door.call("reference", text) as string[]).slice(0, 2)).toEqual([canonical, familiar]);
  });

  test.each([
    ["", "invalid reference format"],
    [":t", "invalid reference format"],
    ["a:", "invalid reference format"],
    ["a:b:c", "invalid reference format"],
    ["a/", "invalid reference format"],
    ["/a", "invalid reference format"],
    ["a//b", "invalid reference format"],
    ["a___b", "invalid reference format"],
    ["a..b", "invalid reference format"],
    ["a._b", "invalid reference format"],
    ["-a", "invalid reference format"],
    ["a-", "invalid reference format"],
    ["a b", "invalid reference format"],
    ["http://a/b", "invalid reference format"],
    ["-h.x/a", "invalid reference format"],
    ["h:x/a", "invalid reference format"],
    ["h:/a", "invalid reference format"],
    ["a@sha256:12", "invalid reference format"],
    ["a@", "invalid reference format"],
    [`a:${"t".repeat(129)}`, "invalid reference format"],
    [`a@sha256:${"0".repeat(32)}`, "invalid checksum digest length"],
    [`a@md5:${"0".repeat(32)}`, "unsupported digest algorithm"],
    ["Busybox", "invalid reference format: repository name (Busybox) must be lowercase"],
    ["a/B:T", "invalid reference format: repository name (a/B) must be lowercase"],
    ["a".repeat(256), "repository name must not be more than 255 characters"],
    [hex, `invalid repository name (${hex}), cannot specify 64-byte hexadecimal strings`],
  ])("%s is refused", (text, error) => {
    expect(door.call("reference", text)).toBe(error);
  });

  test("all parts", () => {
    expect(door.call("reference", `localhost:5000/a/b:t@${digest}`)).toEqual([
      `localhost:5000/a/b:t@${digest}`,
      `localhost:5000/a/b:t@${digest}`,
      "localhost:5000",
      "a/b",
      "t",
      digest,
      "localhost:5000",
    ]);
    expect((door.call("reference", "busybox") as string[])[6]).toBe("registry-1.docker.io");
  });

  test("tags and digests", () => {
    expect(door.call("retagged", "busybox:1", "2")).toBe("busybox:2");
    expect(door.call("retagged", "busybox:1", digest)).toBe(`busybox@${digest}`);
    expect(door.call("retagged", "busybox", "sha256:1")).toBe(null);
    expect(door.call("defaultTag", "busybox")).toBe("busybox:latest");
    expect(door.call("defaultTag", "busybox:1")).toBe("busybox:1");
    expect(door.call("tagOrDigest", digest)).toEqual(["false", "true"]);
    expect(door.call("tagOrDigest", "_T.-9")).toEqual(["true", "false"]);
    expect(door.call("tagOrDigest", ".x")).toEqual(["false", "false"]);
  });

  test("random names never trap, and parsed ones are parsed again to the same", () => {
    const random = randomFrom(23);
    const alphabet = "abZ019._-/:@[]é ";
    for (let round = 0; round < 5000; round++) {
      const text = Array.from({ length: random(14) }, () => alphabet[random(alphabet.length)]).join("");
      const parts = door.call("reference", text);
      if (!Array.isArray(parts)) continue;
      expect(door.call("reference", String(parts[0]))).toEqual(parts);
      expect(door.call("reference", String(parts[1]))).toEqual(parts);
    }
  });
});

describe("platforms", () => {
  test.each([
    ["linux", "linux/arm64"],
    ["amd64", "linux/amd64"],
    ["x86_64", "linux/amd64"],
    ["linux/amd64", "linux/amd64"],
    ["Linux/AMD64/v1", "linux/amd64"],
    ["linux/x86-64/v3", "linux/amd64/v3"],
    ["linux/arm64/v8", "linux/arm64"],
    ["linux/arm64/v8.0", "linux/arm64"],
    ["linux/aarch64/9", "linux/arm64/v9"],
    ["linux/arm", "linux/arm/v7"],
    ["linux/arm/6", "linux/arm/v6"],
    ["linux/armhf", "linux/arm/v7"],
    ["linux/armel", "linux/arm/v6"],
    ["linux/i386", "linux/386"],
    ["macos/arm64", "darwin/arm64"],
    ["linux/s390x", "linux/s390x"],
    ["vax", '! "vax": unknown operating system or architecture: invalid argument'],
    ["a/b/c/d", '! "a/b/c/d": cannot parse platform specifier: invalid argument'],
    ["linux/", /^! "" is an invalid component of "linux\/"/],
    ["", /^! "" is an invalid component of ""/],
  ])("%s", (text, platform) => {
    expect(door.call("platform", text)).toEqual(
      typeof platform === "string" ? platform : expect.stringMatching(platform),
    );
  });

  test("JSON needs both os and architecture", () => {
    expect(door.call("platformObject", { os: "linux", architecture: "arm", variant: "v6" })).toBe("linux/arm/v6");
    for (const value of [{}, { os: "linux" }, { architecture: "arm" }, [], null, { os: 1, architecture: 2 }]) {
      expect(door.call("platformObject", value)).toBe("! both OS and Architecture must be provided");
    }
  });

  test("chains, best first", () => {
    const chain = (architecture: string, variant: string) =>
      (door.call("chain", "linux", architecture, variant) as string[]).map((text) => text.replace("linux/", ""));
    expect(chain("amd64", "")).toEqual(["amd64", "386"]);
    expect(chain("amd64", "v3")).toEqual(["amd64/v3", "amd64/v2", "amd64", "386"]);
    expect(chain("arm", "")).toEqual(["arm/v7", "arm/v6", "arm/v5"]);
    expect(chain("arm64", "v8")).toEqual(["arm64", "arm/v8", "arm/v7", "arm/v6", "arm/v5"]);
    expect(chain("arm64", "v8.2").slice(0, 4)).toEqual(["arm64/v8.2", "arm64/v8.1", "arm64", "arm/v8"]);
    expect(chain("arm64", "v9.1").slice(0, 4)).toEqual(["arm64/v9.1", "arm64/v9", "arm64/v8.6", "arm64/v8.5"]);
    expect(chain("arm64", "v9.6").slice(7, 9)).toEqual(["arm64/v8.9", "arm64/v8.8"]);
    expect(chain("s390x", "")).toEqual(["s390x"]);
  });

  test("the best of several, the first on a tie, one without a platform last", () => {
    const best = (candidates: (string | null)[], wanted: string) => door.call("best", candidates, wanted);
    expect(best(["linux/386", "linux/amd64", "linux/amd64"], "linux/amd64")).toBe(1);
    expect(best(["linux/arm/v6", "linux/386"], "linux/amd64")).toBe(1);
    expect(best(["windows/amd64"], "linux/amd64")).toBe(-1);
    expect(best([null, "linux/amd64"], "linux/amd64")).toBe(1);
    expect(best(["linux/s390x", null], "linux/amd64")).toBe(1);
    expect(best(["unknown/unknown"], "linux/amd64")).toBe(-1);
    expect(best([], "linux/amd64")).toBe(-1);
  });
});

describe("containers' names", () => {
  test("at least two characters of a closed set", () => {
    for (const name of ["web", "/web", "a1", "A_.-"]) expect(door.call("nameProblem", name)).toBe("");
    for (const name of ["a", "/", "", "_a", "a b", "a/b", "//ab", "é1"]) {
      expect(door.call("nameProblem", name)).toBe(
        `Invalid container name (${name}), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed`,
      );
    }
  });

  test("generated ones differ and are valid", () => {
    const [different, good, later] = (door.call("names") as string).split(" ");
    expect(Number(different)).toBeGreaterThan(900);
    expect(good).toBe("true");
    expect(later).toMatch(/^[a-z]+_[a-z]+[0-9]$/);
  });
});

test.each([
  ["SIGTERM", "15 SIGTERM true"],
  ["term", "15 SIGTERM true"],
  ["Sigkill", "9 SIGKILL true"],
  ["9", "9 SIGKILL true"],
  ["RTMIN", "34 SIGRTMIN true"],
  ["SIGRTMIN+3", "37 SIGRTMIN+3 true"],
  ["RTMAX-1", "63 SIGRTMIN+29 true"],
  ["rtmax", "64 SIGRTMIN+30 true"],
  ["CLD", "17 SIGCHLD true"],
  ["99", "99 99 false"],
  ["0", "0 0 false"],
  ["-1", "0 0 false"],
  ["RTMIN+16", "0 0 false"],
  ["RTMIN+", "0 0 false"],
  ["RTMX", "0 0 false"],
  ["SIG", "0 0 false"],
  ["", "0 0 false"],
  ["NOPE", "0 0 false"],
  ["1000001", "1000001 1000001 false"],
  ["9223372036854775807", "4294967295 4294967295 false"],
  ["9223372036854775808", "0 0 false"],
])("signal %j", (text, signal) => {
  expect(door.call("signal", text)).toBe(signal);
});
