// Builds the same Dockerfiles here and by the reference, and compares the config and every file of the images: kind, mode,
// owner, time, target and bytes. Of files that a build makes itself, times are not compared.

import { afterAll, beforeAll, expect, test } from "vitest";
import { readTar, type TarMember } from "../../support/archives/read-tar.js";
import { sha256 } from "../../support/archives/images.js";
import type { Json } from "../../support/engine-client.js";
import { realEngines, RunningEngine, startWithBusybox } from "../../support/engines.js";
import { describeUnless } from "../../support/on-engines.js";
import { buildOn } from "./building.js";
import { CONTEXT, DOCKERFILES } from "./dockerfiles.js";

const all = realEngines();
const missing =
  all.find((engine) => engine.missing !== null)?.missing ?? (all.length < 2 ? "one engine was chosen" : null);

describeUnless(missing, "images of both builders", () => {
  const running: RunningEngine[] = [];

  beforeAll(async () => {
    for (const engine of all) running.push(new RunningEngine(engine, await startWithBusybox(engine)));
  }, 180_000);
  afterAll(async () => {
    for (const engine of running) await engine.daemon.close();
  }, 60_000);

  test.each(DOCKERFILES)("%s", async (text) => {
    const dockerfile = `${text.includes("FROM ") ? "" : "FROM busybox\n"}${text}\n`;
    const [ours, theirs] = await Promise.all(running.map((engine) => told(engine, dockerfile)));
    expect(ours).toEqual(theirs);
  });
});

/** Everything that is compared, as lines. */
async function told(engine: RunningEngine, dockerfile: string): Promise<string[]> {
  const { id, error } = await buildOn(engine, dockerfile, CONTEXT, "forcerm=1");
  if (error !== null) return ["refused"];
  const { Config, Architecture, Author, Os } = await engine.read<Record<string, Json>>(`/images/${id}/json`);
  const history = await engine.read<{ CreatedBy: string; Size: number }[]>(`/images/${id}/history`);
  const container = await engine.create({ Image: id, Cmd: ["x"] });
  const { body } = await engine.must(200, "GET", `/containers/${container}/export`);
  await engine.remove(container);
  const steps = history.map(({ CreatedBy }) => CreatedBy.replace(/(file|dir|multi):[0-9a-f]{64}/g, "$1"));
  return [...settings(Config!), JSON.stringify([Architecture, Author, Os]), ...steps, ...(await filesIn(body))];
}

/** Fields that are empty make no difference, and those of the build's own container are not the image's. */
function settings(config: Json): string[] {
  const fields = Object.entries(config).filter(([name]) => !["Hostname", "Image", "Domainname"].includes(name));
  const given = fields.filter(([, value]) => value !== null && value !== "" && value !== false);
  return given.map(([name, value]) => `${name} ${JSON.stringify(value)}`).sort();
}

async function filesIn(archive: Uint8Array): Promise<string[]> {
  const files = (await readTar(archive)).filter(({ name }) => !MADE.test(name));
  return files.map(lineOf).sort();
}

function lineOf({ name, type, mode, uid, gid, target, text, mtime }: TarMember): string {
  const time = mtime < NOW ? mtime : "now";
  const bytes = type === "file" ? sha256(Buffer.from(text, "latin1")) : "";
  return [name.replace(/\/$/, ""), type, mode.toString(8), `${uid}:${gid}`, target, time, bytes].join(" ");
}

/** 2020: no file of the context is that new. */
const NOW = 1_577_836_800;
/** What a runtime needs in a container. */
const MADE = /^(dev|proc|sys)(\/|$)|^(\.dockerenv|etc\/(hosts|hostname|resolv\.conf|mtab))$/;
