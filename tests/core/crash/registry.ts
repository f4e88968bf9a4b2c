// The images of the crash test: the answers of its registry, and the contents of its archives.

import type { content } from "../../../hosts/shared/host.js";
import { type MadeImage, makeImage } from "../support/image-world.js";

/** Two that share a layer, and one that shares none. */
export const IMAGES: ReadonlyMap<string, MadeImage> = new Map([
  ["app", makeImage(["base", "app"], { config: { Cmd: ["app"] } })],
  ["tool", makeImage(["base", "tool"], { config: { Cmd: ["tool"], Volumes: { "/data": {} } } })],
  ["lone", makeImage(["lone"], { config: { Cmd: ["lone"] } })],
]);

/** A document by its digest or by `NAME:TAG`; undefined if the registry does not have it. */
export function manifestOf({ repository, reference }: content.Resolve): MadeImage | undefined {
  const named = IMAGES.get(repository.replace("library/", ""));
  return reference === "1" || reference === named?.digest ? named : undefined;
}

export function configOf(digest: string): Uint8Array | undefined {
  return [...IMAGES.values()].find((image) => image.id === digest)?.config;
}

/** The archive that a client loads: member names and their bytes; layers have no meaningful content. */
export function archiveOf(name: string): Map<string, Uint8Array> {
  const image = IMAGES.get(name) as MadeImage;
  const layers = image.diffIds.map((_, at) => `${at}/layer.tar`);
  const list = [{ Config: "config.json", RepoTags: [`${name}:1`], Layers: layers }];
  return new Map([
    ["manifest.json", new TextEncoder().encode(JSON.stringify(list))],
    ["config.json", image.config],
    ...layers.map((layer): [string, Uint8Array] => [layer, new Uint8Array(10)]),
  ]);
}
