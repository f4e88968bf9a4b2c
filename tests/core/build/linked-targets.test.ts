// The result of a build as a context of another one, as seen by the core: `docker buildx bake` with `target:` contexts.

import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { beforeEach, expect, test } from "vitest";
import { decode, encode as message } from "../../../hosts/buildkit/messages/codec.js";
import { definition, input } from "../../../hosts/buildkit/messages/definition.js";
import { digestOf, ImageWorld } from "../support/image-world.js";
import { sendDefinition } from "../support/session-files.js";
import { direct, drop, openSession, solve, writeStep } from "./solving.js";

const NAME = "context:base";

let world: ImageWorld;
beforeEach(() => {
  world = new ImageWorld();
});

interface Definition {
  def: string[];
  metadata: object;
}

/** Builds a target; returns the steps of its result's definition, as its client gets them. */
function base(): Uint8Array[] {
  openSession(world);
  solve(world, { Frontend: "" });
  const asked = direct(world, "Solve", { Frontend: "dockerfile.v0", FrontendOpt: { "force-network-mode": "none" } });
  sendDefinition(world, "FROM busybox\nRUN touch /made\n");
  writeStep(world, "made");
  drop(world);
  const { result } = JSON.parse(world.answer(asked).text) as { result: { ref: { def: Definition } } };
  const { def, metadata } = result.ref.def;
  // Clients take no step of which nothing is said.
  expect(Object.keys(metadata)).toEqual(def.map((step) => digestOf(Buffer.from(step, "base64"))));
  return def.map((step) => Uint8Array.from(Buffer.from(step, "base64")));
}

/** A definition as the core is told of it. */
const told = (def: readonly Uint8Array[]): unknown => {
  const steps = def.map((step) => Buffer.from(step).toString("base64"));
  return decode(input, message(definition, { def: steps }));
};

/** Builds another one from it. Returns the request. */
function linked(inputs: object, options: object = {}): bigint {
  const FrontendAttrs = { "force-network-mode": "none", [NAME]: `input:${NAME}`, "input-metadata:x": "{}", ...options };
  return solve(world, { Ref: "b", FrontendAttrs, FrontendInputs: inputs });
}

test("the definition of a result is one source, and the step that names it by its digest", () => {
  const [source, end] = base();
  const named = new BinaryWriter().tag(1, WireType.LengthDelimited).string(digestOf(source!)).finish();
  expect(Buffer.from(end!)).toEqual(
    Buffer.from(new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(named).finish()),
  );
});

test.each([{}, { "image-resolve-mode": "pull" }])("another build begins with it, without a registry: %j", (options) => {
  const one = base();
  const request = linked({ [NAME]: told(one) }, options);
  sendDefinition(world, "FROM base\nENV A=1\n");
  expect(world.open()).not.toContain("resolve");
  const { ExporterResponse } = JSON.parse(world.answer(request).text) as {
    ExporterResponse: Record<string, string>;
  };
  const id = ExporterResponse["containerimage.digest"];
  const image = world.call("GET", `/v1.41/images/${id}/json`).json as {
    Config: { Env: string[] };
    RootFS: { Layers: string[] };
  };
  expect(image.Config.Env).toContain("A=1");
  expect(image.RootFS.Layers).toHaveLength(2);
});

test("it is refused if its image was pruned, or if the client has made something else of it", () => {
  const one = base();
  const step = new BinaryWriter().tag(4, WireType.LengthDelimited).bytes(new Uint8Array()).finish();
  const said = "the context base is no result of a build of this engine";
  expect(world.answer(linked({ [NAME]: told([one[0]!, step, one[1]!]) })).text).toContain(said);
  expect(world.answer(linked({ other: told(one) })).text).toContain(said);
  direct(world, "Return", {});
  world.call("POST", "/v1.41/build/prune?all=1", {});
  expect(world.answer(linked({ [NAME]: told(one) })).text).toContain(said);
});
