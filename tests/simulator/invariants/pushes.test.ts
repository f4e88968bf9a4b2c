// Tests the check of pushes: it must see what a registry lacks.

import { expect, test } from "vitest";
import { digestOf } from "../../../hosts/registry/digest.js";
import { Catalogue } from "../../../hosts/simulated/registry/catalogue.js";
import { Pushed } from "../../../hosts/simulated/registry/pushed.js";
import type { Asked } from "../oracle.js";
import { TAKER } from "../worlds/taker.js";
import { Pushes } from "./pushes.js";

const PUSH: Asked = {
  ...{ number: 1, client: "polite1", method: "POST", target: `/v1.55/images/${TAKER}/app/push?tag=1` },
  ...{ headers: {}, body: null },
};
const [CONFIG, LAYER] = ["config", "layer"].map((text) => new TextEncoder().encode(text)) as [Uint8Array, Uint8Array];
const MANIFEST = written({ config: described(CONFIG), layers: [described(LAYER)] });

test.each([
  ["nothing", [], false, "has no such manifest"],
  ["no blobs", [], true, `lacks ${digestOf(CONFIG)}`],
  ["no layer", [CONFIG], true, `lacks ${digestOf(LAYER)}`],
  ["all", [CONFIG, LAYER], true, null],
])("a registry that has %s", (_, blobs, hasManifest, missing) => {
  const registry = new Pushed(new Catalogue([]));
  for (const bytes of blobs) {
    const name = registry.open(TAKER, "app");
    registry.append(TAKER, "app", name, bytes);
    expect(registry.close(name, digestOf(bytes))).toBe(true);
  }
  if (hasManifest) registry.tag(TAKER, "app", "1", MANIFEST, "application/json");
  const pushes = new Pushes((path) => registry.repository(TAKER, path));
  const digest = digestOf(MANIFEST);
  const told = pushes.told(PUSH, `{"progressDetail":{},"aux":{"Tag":"1","Digest":"${digest}","Size":1}}`);
  expect(told).toBe(
    missing === null ? null : `${PUSH.target} was told to be pushed as ${digest}, but the registry ${missing}`,
  );
});

function described(bytes: Uint8Array): object {
  return { digest: digestOf(bytes), size: bytes.length };
}

function written(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
