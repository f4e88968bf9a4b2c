// Messages of clients that no library would send, and what is left out of those that the core gets.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { METHODS, TooManyValues, decode, encode, withoutSecrets } from "../../hosts/buildkit/index.js";
import type { Fields } from "../../hosts/buildkit/index.js";
import { many, one, type Message } from "../../hosts/buildkit/messages/field.js";

const SOLVE = METHODS.get("/moby.buildkit.v1.Control/Solve")!.request;
const BRIDGE_SOLVE = METHODS.get("/moby.buildkit.v1.frontend.LLBBridge/Solve")!.request;
const inner: Message = { a: one(1), b: one(2), items: many(3) };
const outer: Message = { inner: one(1, () => inner), numbers: many(2, "int32") };

describe("a message", () => {
  test("that comes in two parts is made of both", () => {
    const parts = [
      { a: "1", items: ["x"] },
      { b: "2", items: ["y"] },
    ].map((inner) => encode(outer, { inner }));
    expect(decode(outer, Buffer.concat(parts))).toEqual({ inner: { a: "1", b: "2", items: ["x", "y"] } });
  });

  test("whose packed list is longer than the message is refused", () => {
    const packed = (length: number): Uint8Array => Uint8Array.of(0x12, length, 1, 2);
    expect(decode(outer, packed(2))).toEqual({ numbers: [1, 2] });
    expect(() => decode(outer, packed(3))).toThrow("cut off");
  });

  test("with very many values is refused before they fill the memory", () => {
    const exporters = Buffer.alloc(400_000, Uint8Array.of((13 << 3) | 2, 0));
    expect(() => decode(SOLVE, exporters)).toThrow(TooManyValues);
    const attributes = Buffer.alloc(400_000, Uint8Array.of((7 << 3) | 2, 0));
    expect(() => decode(SOLVE, attributes)).toThrow(TooManyValues);
  });
});

describe("a build", () => {
  test("comes without the credentials of its caches", () => {
    const cache = { Type: "gha", Attrs: { token: "hidden" } };
    const entry: Message = { Type: one(1), Attrs: { ...one(2), as: "map" } };
    const cacheOf = (number: number): Uint8Array =>
      new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(encode(entry, cache)).finish();
    const exports = new BinaryWriter().tag(8, WireType.LengthDelimited).bytes(cacheOf(4)).finish();
    const solve = Buffer.concat([encode(SOLVE, { Ref: "a" }), exports]);
    expect(withoutSecrets(decode(SOLVE, solve))).toEqual({ Ref: "a", Cache: { Exports: [{ Type: "gha" }] } });
    expect(decode(BRIDGE_SOLVE, Buffer.concat([encode(BRIDGE_SOLVE, { Frontend: "f" }), cacheOf(12)]))).toEqual({
      Frontend: "f",
    });
  });

  test("comes with what tells of a client's directory, and with nothing else about a cache in one", () => {
    const cache = (Attrs: object): object => ({ Type: "local", Attrs: { ...Attrs, token: "hidden" } });
    const [source, target] = [
      { src: "/c", digest: "sha256:0" },
      { dest: "/c", mode: "max" },
    ];
    const other = { Type: "s3", Attrs: { src: "hidden" } };
    const message = { Cache: { Exports: [cache(target), other], Imports: [cache(source), other] } };
    expect(withoutSecrets(message)).toEqual({
      Cache: {
        Exports: [{ Type: "local", Attrs: target }, { Type: "s3" }],
        Imports: [{ Type: "local", Attrs: source }, { Type: "s3" }],
      },
    });
  });

  test("comes without those in its options and its outputs, and with everything else", () => {
    const imports = [
      { Type: "s3", Attrs: { secret_access_key: "hidden", ref: "hidden" } },
      { Type: "registry", Attrs: { ref: "r.example/a:1", password: "hidden" } },
      { Type: "registry", Attrs: { password: "hidden" } },
    ];
    const options = {
      "cache-imports": JSON.stringify(imports),
      "cache-from": "b:2,type=s3,secret_access_key=hidden,https://me:hidden@r.example/a",
      "build-arg:TOKEN": "shown",
    };
    const attributes = { name: "a:b", secret_access_key: "hidden", account_key: "hidden", token: "hidden" };
    const message: Fields = {
      FrontendAttrs: { ...options },
      FrontendOpt: { ...options },
      ExporterAttrs: { ...attributes },
      Exporters: [{ Type: "moby", Attrs: { ...attributes } }, { Type: "moby" }],
    };
    const shown = JSON.stringify(withoutSecrets(message));
    expect(shown).not.toContain("hidden");
    expect(shown.match(/"build-arg:TOKEN":"shown"/g)).toHaveLength(2);
    expect(shown.match(/"name":"a:b"/g)).toHaveLength(2);
    expect(shown.match(/"cache-imports":"s3,registry r.example\/a:1,registry ","cache-from":"b:2"/g)).toHaveLength(2);
  });
});
