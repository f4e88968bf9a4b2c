import { deflateRawSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import type { Input, Outcome, engine, types, failures } from "../../hosts/shared/host.js";
import { Malformed, encoded, text as textCodec, u32 } from "../../hosts/trace/codec.js";
import { TraceError, decodeTrace } from "../../hosts/trace/decode.js";
import { hashesOf } from "../../hosts/hashes/output-hashes.js";
import { murmur3 } from "../../hosts/hashes/murmur3.js";
import { deflatedLine, deflatedSnapshotLine, encodeTrace } from "../../hosts/trace/lines.js";
import { input as inputCodec, opening as openingCodec } from "../../hosts/trace/values.js";
import { OPTIONS } from "../core/support/fixtures.js";
import { answered, exchange, REFUSED } from "../support/registry/registry-failures.js";
import { RecordedEngine } from "./engine.js";
import { live } from "./stories.js";
import { bareLines, summed } from "./sums.js";
import { SECURE } from "../support/registry/security.js";

const STRIDE = 49_999;
/** The reasons of a failed exchange, if there are no further details. */
const WHYS = [
  "closed",
  "timeout",
  "no-tls",
  "unknown-authority",
  "certificate-dates",
  "no-credentials",
  "plain-credentials",
  "no-realm",
  "no-token",
  "bad-redirect",
  "form-redirect",
] as const;
let text = "";
/** Without their checksums. */
let lines: string[] = [];

beforeAll(async () => {
  const engine = new RecordedEngine({ inputs: 12 });
  await live(engine);
  text = engine.ring.text();
  lines = bareLines(text);
  expect(summed(lines)).toBe(text);
});

/** The trace with some lines replaced, and matching checksums. */
function changed(at: number, ...instead: string[]): string {
  return summed([...lines.slice(0, at), ...instead, ...lines.slice(at + 1)]);
}

function edited(at: number, edit: (line: Record<string, never>) => unknown): string {
  const line = JSON.parse(lines[at]!) as Record<string, never>;
  return changed(at, JSON.stringify(edit(line)));
}

function refusal(trace: string): string {
  try {
    decodeTrace(trace);
  } catch (error) {
    if (error instanceof TraceError) return error.message;
    throw error;
  }
  return "";
}

test("a custom sink gets all lines with their checksums, whatever other methods it has", async () => {
  const written: string[] = [];
  const sink = {
    begin: () => {},
    append: (line: string) => void written.push(`${line}\n`),
    drop: () => {},
    snapshot: () => written.push("a picture of it\n"),
  };
  await live(new RecordedEngine({ inputs: 12, sink }));
  expect(written.length).toBeGreaterThan(12);
  expect(text.startsWith(written.join(""))).toBe(true);
});

describe("refused", () => {
  test("a text that is not a trace", () => {
    expect(refusal("")).toBe("line 1: expected a trace, but the file is empty");
    expect(refusal("hello\n")).toBe("line 1: not JSON: the trace is damaged or cut short");
    expect(refusal('{"format":"pcap"}\n')).toBe('line 1: not a trace: expected `"format":"coracle-trace"`');
    expect(refusal("[]\n")).toBe("line 1: the line: expected an object");
  });

  test.each([1, 4, 6])("another version: %i", (version) => {
    const said = `line 1: a trace of version ${version}: this engine reads traces of version 5 only`;
    expect(refusal(edited(0, (header) => ({ ...header, version, more: {} })))).toBe(said);
    // With any line end.
    expect(refusal(`{"format":"coracle-trace","version":${version}}\n`)).toBe(said);
  });

  test("an invalid version", () => {
    expect(refusal(edited(0, (header) => ({ ...header, version: "5" })))).toBe("line 1: version: expected 5");
  });

  test("a trace that was cut anywhere", () => {
    const short = `the trace ends too early: expected an input or an end after this line`;
    expect(refusal(summed(lines.slice(0, 5)))).toBe(`line 5: ${short}`);
    expect(refusal(summed(lines.slice(0, -1)))).toBe(`line ${lines.length - 1}: ${short}`);
    const cut = "expected a checksum at its end: the line was changed, or cut short";
    expect(refusal(text.slice(0, -4))).toBe(`line ${lines.length}: ${cut}`);
    expect(refusal(text.slice(0, 9))).toBe("line 1: not JSON: the trace is damaged or cut short");
    let refused = 0;
    for (let length = text.length - 2; length > 0; length -= STRIDE)
      if (refusal(text.slice(0, length)) !== "") refused++;
    // Segments that have ended are complete.
    expect(refused).toBeGreaterThanOrEqual(Math.floor((text.length - 2) / STRIDE) - 3);
  });

  test("invalid values, with their paths", () => {
    const request = lines.findIndex((line) => line.includes('"tag":"request"'));
    const at = `line ${request + 1}: `;
    const cases: [(line: Record<string, never>) => unknown, string][] = [
      [
        (line) => ({ ...line, input: { tag: "requested" } }),
        "input.tag: expected one of request, closed, source-failed, completed, progress,",
      ],
      [(line) => ({ ...line, extra: 1 }), "the line.extra: expected nothing"],
      [(line) => ({ ...line, now: ["1"] }), "now: expected a list of two"],
      [(line) => ({ ...line, now: ["1", "-1"] }), "now[1]: expected a number from 0 to"],
      [(line) => ({ ...line, now: ["1", 1] }), "now[1]: expected a text of decimal digits"],
      [(line) => ({ ...line, now: ["01", "1"] }), "now[0]: expected a text of decimal digits"],
      [(line) => ({ ...line, out: { replies: "short" } }), "out.replies: expected 16 characters of base64"],
      [(line) => ({ ...line, out: { other: "x" } }), "out.other: expected nothing"],
      [(line) => ({ ...line, masked: false }), "masked: expected true"],
      [({ now, out }) => ({ now, out }), "input: expected an object"],
      [({ now, input }) => ({ now, input }), "expected an end after a step without `out`"],
    ];
    for (const [edit, message] of cases) {
      const behind = message.startsWith("expected an end") ? `line ${request + 2}: ` : at;
      expect(refusal(edited(request, edit))).toContain(behind + message);
    }
    const body = lines.findIndex((line) => line.includes('"tag":"whole"'));
    expect(refusal(changed(body, lines[body]!.replace(/"val":"[^"]+"/, '"val":"A"')))).toContain(
      `line ${body + 1}: input.val.body.val: expected base64`,
    );
    expect(refusal(changed(body, lines[body]!.replace(/"listener":"[^"]+",/, "")))).toContain(
      "input.val.listener: expected a value",
    );
  });

  test("segments that do not follow one another", () => {
    const second = lines.findIndex((line, at) => at > 0 && line.startsWith('{"format"'));
    const at = `line ${second + 1}: `;
    expect(refusal(edited(second, (header) => ({ ...header, segment: 7 })))).toBe(`${at}segment: expected 2`);
    expect(refusal(edited(second, (header) => ({ ...header, step: 7 })))).toBe(`${at}step: expected 12`);
    expect(refusal(changed(second - 1, '{"end":"running"}'))).toBe(`${at}a segment follows one that has not ended`);
    expect(refusal(changed(second))).toContain(`${at}not a trace`);
    expect(refusal(changed(second - 1, '{"end":"crashed"}'))).toBe(
      `line ${second}: end: expected continued, lost, broken or running`,
    );
  });
});

test("the trace of a killed recorder is read up to its end, on request", () => {
  const calls = lines.findIndex((line) => line.startsWith('{"now"')) + 3;
  const inCalls = `${summed(lines.slice(0, calls))}${lines[calls]!.slice(0, 20)}`;
  const snapshot = lines.findIndex((line) => line.startsWith('{"snapshot"'));
  const inSnapshot = `${summed(lines.slice(0, snapshot))}${lines[snapshot]!.slice(0, 500)}`;
  for (const cut of [inCalls, inSnapshot]) {
    expect(refusal(cut)).not.toBe("");
    let behind = 0;
    const trace = decodeTrace(cut, { unfinished: true, cutShort: (line) => void (behind = line) });
    expect(cut.startsWith(encodeTrace(trace).replace(/\{"end":"running",.*\}\n$/, ""))).toBe(true);
    expect(behind).toBe(cut.split("\n").length - 1);
  }
  expect(decodeTrace(inCalls, { unfinished: true }).segments.at(-1)!.end).toEqual({ why: "running" });
  expect(decodeTrace(inSnapshot, { unfinished: true }).segments.length).toBe(1);
});

describe("compressed lines", () => {
  const short = (line: string): string => {
    const json = JSON.parse(line) as { format?: string; snapshot?: string };
    if (json.format !== undefined) return line;
    if (json.snapshot === undefined) return deflatedLine(deflateRawSync(Buffer.from(line)));
    return deflatedSnapshotLine(deflateRawSync(Buffer.from(json.snapshot, "base64")));
  };

  test("are read like others", () => {
    const inShort = summed(lines.map(short));
    expect(inShort.length).toBeLessThan(text.length / 3);
    expect(lines.some((line) => line.startsWith('{"snapshot":'))).toBe(true);
    expect(encodeTrace(decodeTrace(inShort))).toBe(text);
  });

  test("are refused if they are damaged, or nested", () => {
    const call = lines.findIndex((line) => line.startsWith('{"now"') && line.includes('"input"'));
    const snapshot = lines.findIndex((line) => line.startsWith('{"snapshot"'));
    const at = `line ${call + 1}: the line.deflated: `;
    expect(refusal(changed(call, '{"deflated":"?"}'))).toBe(`${at}expected base64`);
    expect(refusal(changed(call, '{"deflated":"////"}'))).toBe(`${at}expected DEFLATE`);
    expect(refusal(changed(call, short(short(lines[call]!))))).toBe(
      `line ${call + 1}: the line.deflated: expected nothing`,
    );
    expect(refusal(changed(snapshot, '{"snapshot":{"deflated":"////"}}'))).toBe(
      `line ${snapshot + 1}: snapshot.deflated: expected DEFLATE`,
    );
    expect(refusal(changed(snapshot, '{"snapshot":7}'))).toBe(`line ${snapshot + 1}: snapshot: expected base64`);
  });
});

test("texts of all kinds are written like JSON.stringify does", () => {
  const texts = [
    "",
    "a",
    'q"',
    "b\\",
    "line\n",
    "\u007f",
    "ü",
    "\ud800",
    "x".repeat(41),
    `${"x".repeat(41)}\n"ü`,
    "é".repeat(70_000),
  ];
  for (const one of texts) expect(encoded(textCodec, one)).toBe(JSON.stringify(one));
  for (const one of [0, 9, 10, 999, 4_294_967_295]) expect(encoded(u32, one)).toBe(String(one));
});

test("a client's headers are written unchanged, repeated ones and others", () => {
  const request = { id: 1n, listener: "l", method: "GET", target: "/", body: { tag: "none" } as const };
  for (const headers of [
    "A: 1",
    "A: 1",
    "B: 2",
    "",
    "",
    `C: ${"3".repeat(9000)}`,
    "A: 1",
    'D: "\nE: ü',
    'D: "\nE: ü',
  ]) {
    const written = encoded(inputCodec, { tag: "request", val: { ...request, headers } });
    expect((JSON.parse(written) as { val: { headers: string } }).val.headers).toBe(headers);
  }
});

describe("values", () => {
  const exit: types.Exit = { code: 137, outOfMemory: true, lost: false, at: -5n };
  const whole: engine.Body = { tag: "whole", val: new Uint8Array([0, 255, 128]) };
  const request = { id: 2n ** 64n - 1n, listener: "l", method: "M", target: "/ü\ud800\n", headers: "a: b" };
  const outcomes: Outcome[] = [
    { tag: "done" },
    { tag: "launched", val: { pid: 1, at: 2n } },
    { tag: "resolved", val: { bytes: new Uint8Array(20_000).fill(7), mediaType: "m", digest: "d" } },
    { tag: "bytes", val: new Uint8Array() },
    { tag: "size", val: 0n },
    { tag: "names", val: ["a", "b"] },
    { tag: "token", val: "t" },
    { tag: "ingested", val: [{ path: "p", size: 3n }] },
    { tag: "committed", val: { diffId: "d", size: 1n, empty: true } },
  ];
  const failures: failures.Failure[] = [
    { tag: "interrupted", val: "client-gone" },
    { tag: "body-broke", val: "b" },
    { tag: "no-such", val: { what: "member", name: "n" } },
    { tag: "exists", val: { what: "archive", name: "n" } },
    { tag: "wrong-kind", val: { what: "device", name: "/dev/x" } },
    { tag: "too-large", val: { what: "blob", name: "n", limit: 4n } },
    { tag: "mismatch", val: { what: "diff-id", wanted: "w", found: "f" } },
    { tag: "damaged", val: { what: "cut", said: "" } },
    { tag: "malformed", val: { what: "subnet", text: "t" } },
    { tag: "id-range", val: 7 },
    { tag: "call", val: { call: "open", path: "/p", inside: true, error: "EIO" } },
    { tag: "port", val: { protocol: "tcp", address: "::", port: 80, error: "EADDRINUSE" } },
    { tag: "faulty-name", val: { what: "outside", name: "n", other: "/d" } },
    { tag: "place-in-volume", val: { volume: "v", path: "p", error: "ENOENT" } },
    {
      tag: "mount",
      val: { device: "d", place: "/p", mountFlags: 4096, data: "a=b", host: "", error: "ENOENT" },
    },
    { tag: "unshared", val: { path: "/p", point: "/", receives: true } },
    { tag: "misplaced", val: { place: "/proc", destination: "/p" } },
    answered(429, "c", "m", { details: "d", lacksScope: true, tokenServer: true, retryAfter: 3 }),
    { tag: "cut-short", val: { what: "answer", name: "n" } },
    REFUSED,
    exchange({ tag: "certificate-names", val: ["a", "b"] }),
    exchange({ tag: "redirects", val: 10 }),
    exchange({ tag: "insecure-redirect", val: "http:" }),
    ...WHYS.map((tag) => exchange({ tag })),
    { tag: "program", val: { program: "p", error: "ENOENT" } },
    { tag: "directory", val: { path: "/p", error: "ENOTDIR" } },
    { tag: "runtime", val: { said: "s", program: "p", directory: "/" } },
    { tag: "start-broke", val: { how: "supervisor-ended", said: "s", error: "e" } },
    { tag: "silent", val: { what: "oci-runtime", limit: 500 } },
    { tag: "unmoved", val: { what: "freeze", pids: new Uint32Array([7, 8]) } },
    { tag: "setting", val: { file: "cpu.max", value: "1", error: "EINVAL" } },
    { tag: "tool", val: { name: "nft", exit: 1, said: "s" } },
    { tag: "tool", val: { name: "ps", said: "" } },
    { tag: "imagined", val: { what: "process", name: "" } },
    { tag: "internal", val: "i" },
  ];
  const page = { entries: [{ position: 7n, at: 6n, bytes: new Uint8Array([1, 2]) }], oldest: 3n };
  const inputs: Input[] = [
    { tag: "request", val: { ...request, peer: { pid: 1, uid: 2, gid: 3 }, body: whole } },
    ...(["none", "oversized", "stream"] as const).map((tag): Input => ({
      tag: "request",
      val: { ...request, body: { tag } },
    })),
    { tag: "closed", val: { request: 1n, why: "input-ended" } },
    ...outcomes.map((val): Input => ({ tag: "completed", val: { op: 1n << 32n, outcome: { tag: "ok", val } } })),
    ...failures.map((val): Input => ({ tag: "completed", val: { op: 1n, outcome: { tag: "err", val } } })),
    { tag: "source-failed", val: { request: 1n, why: failures[0]! } },
    {
      tag: "source-failed",
      val: { request: 1n, why: failures[0]!, begun: { framed: true, objects: false, separated: false } },
    },
    { tag: "progress", val: { op: 1n, phase: "verifying", current: 1n, total: 0n } },
    { tag: "exited", val: { container: "c", run: 4_294_967_295, exit } },
    { tag: "elapsed", val: 9n },
    { tag: "completed", val: { op: 2n, outcome: { tag: "ok", val: { tag: "journal", val: page } } } },
    { tag: "drained", val: { request: 1n, bytes: 5 } },
    {
      tag: "reloaded",
      val: {
        debug: true,
        insecureRegistries: ["r:1"],
        registryMirrors: ["https://m/"],
        registryHosts: [
          {
            registry: "r",
            hosts: [],
            server: {
              ...{ authority: "s", security: "plain", pulls: true, resolves: false, pushes: true },
              way: {
                ...{ path: "/v2", authorities: ["/a"], certificates: [{ certificate: "/c", key: "/k" }] },
                ...{ headers: { file: "/h", host: "n" }, connectWithin: 1 },
              },
            },
          },
        ],
        labels: ["a=b"],
        runtimes: [{ name: "n", path: "/p", version: "1", commit: "c", features: "{}" }],
        defaultRuntime: "n",
      },
    },
  ];

  test.each(inputs)("$tag of input is encoded and decoded: $val", (input) => {
    const json = JSON.parse(encoded(inputCodec, input)) as unknown;
    expect(inputCodec.decode(json, "input")).toEqual(input);
  });

  test("arguments of open are encoded and decoded", () => {
    const inventory: engine.Inventory = {
      processes: [
        { container: "c", run: 1, state: { tag: "running", val: { pid: 1, at: 2n } }, memoryKills: 2 },
        { container: "c", run: 2, state: { tag: "unstarted" }, memoryKills: 2 },
        { container: "c", run: 3, state: { tag: "exited", val: exit }, memoryKills: 2 },
        { container: "c", run: 4, state: { tag: "lost" }, memoryKills: 2 },
      ],
      mounts: ["m"],
      containers: ["c"],
      joins: [{ container: "c", network: "n", address: "172.17.0.2", ipv6Address: "" }],
      sandboxes: ["c"],
      networks: ["n"],
      volumes: ["v"],
      execs: [
        { exec: "x", subject: { container: "c", run: 1 }, running: true },
        { exec: "y", subject: { container: "c", run: 1 }, running: false, exit },
      ],
      chains: ["h"],
      rests: [{ chain: "r", at: 5n }],
    };
    const records = [{ key: "k", value: new Uint8Array([1]) }];
    const opening = { options: OPTIONS, seed: new Uint8Array(32), records, journal: { next: 8n, at: 7n }, inventory };
    const json = JSON.parse(encoded(openingCodec, opening)) as unknown;
    expect(openingCodec.decode(json, "open")).toEqual(opening);
    expect(() => openingCodec.decode({ ...(json as object), seed: 1 }, "open")).toThrow(Malformed);
  });
});

describe("hashes", () => {
  const head = { status: 200, headers: "A: ü" };
  const body = new Uint8Array([1, 2, 3]);
  const whole = (body: Uint8Array<ArrayBuffer>) => ({ tag: "whole", val: { head, body, stateless: false } }) as const;
  const replies = [{ request: 5n, command: whole(body) } as const];

  test("are computed as the format says", () => {
    const says = "l1:rs7:requesti5;s7:commandrs3:tags5:wholes3:valrs4:headrs6:statusi200;s7:headerss5:A: ü;s4:bodyb3:";
    const hashed = Buffer.from(`${says}\x01\x02\x03s9:statelessf;;;`);
    const hash = Buffer.from(murmur3(hashed).subarray(0, 12)).toString("base64");
    expect(hashesOf({ records: [], effects: [], replies }, false)).toEqual({ replies: hash });
  });

  test("of replies are the same with and without the fast path", () => {
    const lone = { request: 5n, command: { tag: "whole", val: { ...whole(body).val } } } as const;
    const asRecords = hashesOf({ records: [lone as never], effects: [], replies: [] }, false).records;
    expect(asRecords).toBe(hashesOf({ records: [], effects: [], replies }, false).replies);
  });

  // SMHasher's own verification of an implementation: hashes of 256 keys, each with its own seed.
  test("equal those of MurmurHash3", () => {
    const hashes = new Uint8Array(256 * 16);
    const key = Uint8Array.from({ length: 256 }, (_, at) => at);
    for (let length = 0; length < 256; length++) {
      hashes.set(murmur3(key.subarray(0, length), 256 - length), length * 16);
    }
    expect(Buffer.from(murmur3(hashes)).readUInt32LE()).toBe(0xb3ece62a);
  });

  test("of long bytes do not depend on earlier ones", () => {
    const long = (byte: number, at: number): string | undefined => {
      const body = new Uint8Array(5000).fill(7);
      body[at] = byte;
      const outputs = { records: [], effects: [], replies: [{ request: 5n, command: whole(body) } as const] };
      return hashesOf(outputs, false).replies;
    };
    const [plain, other] = [long(7, 0), long(8, 4999)];
    expect(other).not.toBe(plain);
    expect([long(7, 9), long(8, 4999), long(8, 4998) === other]).toEqual([plain, other, false]);
  });

  test("leave out credentials, and masked bodies", () => {
    const resolve = (password: string | null) => {
      const credentials = { username: "u", password: password!, identityToken: "", registryToken: "", meta: "" };
      const val = {
        endpoint: { authority: "a", security: SECURE },
        repository: "r",
        reference: "t",
        accept: [],
        limit: 9,
      };
      const command = { tag: "resolve", val: password === null ? val : { ...val, credentials } } as const;
      return hashesOf({ records: [], effects: [{ to: "content", op: 1n, command }], replies: [] }, false).effects;
    };
    expect(resolve("a")).toBe(resolve("b"));
    expect(resolve("a")).not.toBe(resolve(null));
    const other = [{ request: 5n, command: whole(new Uint8Array(2)) } as const];
    const hash = (some: typeof replies, masked: boolean) =>
      hashesOf({ records: [], effects: [], replies: some }, masked);
    expect(hash(other, true)).toEqual(hash(replies, true));
    expect(hash(other, false)).not.toEqual(hash(replies, false));
  });
});
