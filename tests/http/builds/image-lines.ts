// The config and the files of an image as lines, to compare those that two builders have made.

import { sha256 } from "../../support/archives/images.js";
import { readTar, type TarMember } from "../../support/archives/read-tar.js";
import type { Json } from "../../support/engine-client.js";
import type { RunningEngine } from "../../support/engines.js";

/** What the image says, and the steps of its history. */
export async function configOf(engine: RunningEngine, id: string): Promise<string[]> {
  const { Config, Architecture, Author, Os } = await engine.read<Record<string, Json>>(`/images/${id}/json`);
  const history = await engine.read<{ CreatedBy: string; Size: number }[]>(`/images/${id}/history`);
  const steps = history.map(({ CreatedBy }) => CreatedBy.replace(/(file|dir|multi):[0-9a-f]{64}/g, "$1"));
  return [...settings(Config!), JSON.stringify([Architecture, Author, Os]), ...steps];
}

/** Fields that are empty make no difference, and those of the build's own container are not the image's. */
export function settings(config: Json): string[] {
  const fields = Object.entries(config).filter(([name]) => !["Hostname", "Image", "Domainname"].includes(name));
  const given = fields.filter(([, value]) => value !== null && value !== "" && value !== false);
  return given.map(([name, value]) => `${name} ${JSON.stringify(sorted(value))}`).sort();
}

/** An object with its keys in order. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

export async function filesOf(engine: RunningEngine, image: string): Promise<string[]> {
  const container = await engine.create({ Image: image, Cmd: ["x"] });
  const { body } = await engine.must(200, "GET", `/containers/${container}/export`);
  await engine.remove(container);
  const files = (await readTar(body)).filter(({ name }) => !MADE.test(name));
  return files.map(lineOf).sort();
}

function lineOf({ name, type, mode, uid, gid, target, text, mtime }: TarMember): string {
  const time = mtime < NOW ? mtime : "now";
  const bytes = type === "file" ? sha256(Buffer.from(text, "latin1")).slice(0, 16) : "";
  return [name.replace(/\/$/, ""), type, mode.toString(8), `${uid}:${gid}`, target, time, bytes].join(" ");
}

/** 2020: no file of the context is that new. */
const NOW = 1_577_836_800;
/** What a runtime needs in a container. */
const MADE = /^(dev|proc|sys)(\/|$)|^(\.dockerenv|etc\/(hosts|hostname|resolv\.conf|mtab))$/;
