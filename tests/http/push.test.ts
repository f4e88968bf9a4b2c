// Push to a real registry: the lines of the answer, what is not sent again, and what the registry has in the end.
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EngineClient, Json } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";
import { past, stamp } from "../support/past-events.js";
import {
  dockerRegistryMissing,
  startDockerRegistry,
  type DockerRegistry,
} from "../support/registry/docker-registry.js";
import { digestOf } from "../support/registry/push-image.js";
import { linesOf } from "../support/registry/pulls.js";

interface Manifest {
  mediaType: string;
  config: { digest: string };
  layers: { mediaType: string; digest: string; size: number }[];
}

const ANONYMOUS = { "X-Registry-Auth": Buffer.from("{}").toString("base64url") };
const LOGIN = { username: "pusher", password: "correct horse" };

onEngines(
  "push",
  (engine, kind) => {
    let [registry, guarded]: DockerRegistry[] = [];
    beforeAll(async () => {
      registry = await startDockerRegistry(engine().daemon.netns);
      guarded = await startDockerRegistry(engine().daemon.netns, 5001, LOGIN);
    });
    afterAll(async () => {
      await registry!.close();
      await guarded!.close();
    });

    test("a layer of our own, and the image's config and manifest", async () => {
      const { id, diffIds } = await changedImage(engine(), `${registry!.host}/own`, "1");
      const since = await stamp(engine());
      const lines = await push(engine(), `${registry!.host}/own`, "tag=1");
      const { digest, size, manifest } = await manifestIn(registry!, "own", "1");
      const own = short(diffIds.at(-1));
      expect(lines[0]).toEqual({ status: `The push refers to repository [${registry!.host}/own]` });
      expect(lines.slice(1, 1 + diffIds.length)).toEqual(
        diffIds.toReversed().map((diffId) => ({ status: "Preparing", progressDetail: {}, id: short(diffId) })),
      );
      expect(lines).toContainEqual({ status: "Pushed", progressDetail: {}, id: own });
      expect(lines.slice(-2)).toEqual([
        { status: `1: digest: ${digest} size: ${size}` },
        { progressDetail: {}, aux: { Tag: "1", Digest: digest, Size: size } },
      ]);
      expect(manifest.mediaType).toBe("application/vnd.docker.distribution.manifest.v2+json");
      expect(manifest.config.digest).toBe(id);
      expect(await Promise.all(manifest.layers.map((layer) => diffIdIn(registry!, "own", layer.digest)))).toEqual(
        diffIds,
      );
      const found = await engine().read<{ RepoDigests: string[] }>(`/images/${registry!.host}/own:1/json`);
      expect(found.RepoDigests).toContain(`${registry!.host}/own@${digest}`);
      const [event] = await past(engine(), since, { type: ["image"], event: ["push"] });
      expect(event?.Actor).toMatchObject({
        ID: `${registry!.host}/own:1`,
        Attributes: { name: `${registry!.host}/own` },
      });
    });

    test("what the registry has is not sent again, and another of its repositories takes it over", async () => {
      const { diffIds } = await changedImage(engine(), `${registry!.host}/again`, "1");
      await push(engine(), `${registry!.host}/again`, "tag=1");
      const again = await push(engine(), `${registry!.host}/again`, "tag=1");
      expect(endsOf(again, diffIds)).toEqual(diffIds.map(() => "Layer already exists"));
      await engine().must(201, "POST", `/images/${registry!.host}/again:1/tag?repo=${registry!.host}/other&tag=2`);
      const mounted = await push(engine(), `${registry!.host}/other`, "tag=2");
      expect(endsOf(mounted, diffIds).at(-1)).toMatch(/^Mounted from (again|own)$/);
      const ofBoth = await Promise.all([manifestIn(registry!, "again", "1"), manifestIn(registry!, "other", "2")]);
      expect(ofBoth[0]).toEqual(ofBoth[1]);
    });

    test("without a tag: all tags of the repository", async () => {
      const name = `${registry!.host}/all`;
      await changedImage(engine(), name, "b");
      await engine().must(201, "POST", `/images/${name}:b/tag?repo=${name}&tag=a`);
      const lines = await push(engine(), name, "");
      expect(lines.filter((line) => "aux" in line).map((line) => (line["aux"] as Json)["Tag"])).toEqual(["a", "b"]);
      expect(lines.filter(({ status }) => String(status).startsWith("The push refers")).length).toBe(1);
    });

    test("the image comes back with the same id", async () => {
      const name = `${registry!.host}/back`;
      const { id } = await changedImage(engine(), name, "1");
      await push(engine(), name, "tag=1");
      await engine().must(200, "DELETE", `/images/${name}:1`);
      await engine().must(200, "POST", `/images/create?fromImage=${name}&tag=1`);
      expect((await engine().read<{ Id: string }>(`/images/${name}:1/json`)).Id).toBe(id);
    });

    test("a registry that wants a login", async () => {
      const name = `${guarded!.host}/secret`;
      await changedImage(engine(), name, "1");
      const denied = await push(engine(), name, "tag=1");
      expect(denied.at(-1)?.["error"]).toBe("no basic auth credentials");
      const wrong = await push(engine(), name, "tag=1", { ...LOGIN, password: "guessed" });
      expect(wrong.at(-1)?.["error"]).toBe("unauthorized: authentication required");
      const right = await push(engine(), name, "tag=1", LOGIN);
      expect(right.at(-1)?.["aux"]).toMatchObject({ Tag: "1" });
    });

    test("what cannot be pushed", async () => {
      const name = `${registry!.host}/refused`;
      await changedImage(engine(), name, "1");
      const errorOf = async (image: string, query: string): Promise<unknown> =>
        (await push(engine(), image, query)).at(-1)?.["error"];
      expect(await errorOf(`${registry!.host}/nothing`, "tag=1")).toBe(
        `An image does not exist locally with the tag: ${registry!.host}/nothing`,
      );
      expect(await errorOf(name, "tag=9")).toBe(`tag does not exist: ${name}:9`);
      await engine().must(201, "POST", `/images/${name}:1/tag?repo=127.0.0.1:9/x&tag=1`);
      expect(await errorOf("127.0.0.1:9/x", "tag=1")).toBe(
        'Get "http://127.0.0.1:9/v2/": dial tcp 127.0.0.1:9: connect: connection refused',
      );
      const bad = await engine().call("POST", `/images/${name}/push?tag=a%2Fb`, undefined, { headers: ANONYMOUS });
      expect(bad.status).toBe(engine().expected("push-refusals", 400, kind === "reference" ? 500 : 400));
    });
  },
  { missing: dockerRegistryMissing() },
);

/** The lines of a push that began. */
async function push(engine: EngineClient, image: string, query: string, login: object = {}): Promise<Json[]> {
  const headers = { "X-Registry-Auth": Buffer.from(JSON.stringify(login)).toString("base64url") };
  return linesOf(await engine.call("POST", `/images/${image}/push?${query}`, undefined, { headers }));
}

let made = 0;

/** An image with one layer on top of busybox's, which no other test has. */
async function changedImage(
  engine: EngineClient,
  repo: string,
  tag: string,
): Promise<{ id: string; diffIds: string[] }> {
  const id = await engine.create({ Cmd: ["sh", "-c", `echo ${repo} ${(made += 1)} > /made`] });
  await engine.start(id);
  await engine.wait(id);
  await engine.must(201, "POST", `/commit?container=${id}&repo=${encodeURIComponent(repo)}&tag=${tag}`);
  await engine.remove(id);
  const found = await engine.read<{ Id: string; RootFS: { Layers: string[] } }>(`/images/${repo}:${tag}/json`);
  return { id: found.Id, diffIds: found.RootFS.Layers };
}

async function manifestIn(
  registry: DockerRegistry,
  repository: string,
  tag: string,
): Promise<{ manifest: Manifest; digest: string; size: number }> {
  const accept = "application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.manifest.v1+json";
  const answer = await fetch(`${registry.url}/v2/${repository}/manifests/${tag}`, { headers: { accept } });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const manifest = JSON.parse(new TextDecoder().decode(bytes)) as Manifest;
  return { manifest, digest: digestOf(bytes), size: bytes.length };
}

async function diffIdIn(registry: DockerRegistry, repository: string, digest: string): Promise<string> {
  const answer = await fetch(`${registry.url}/v2/${repository}/blobs/${digest}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  return digestOf(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);
}

/** The last status of each layer. */
function endsOf(lines: readonly Json[], diffIds: readonly string[]): unknown[] {
  return diffIds.map((diffId) => lines.findLast(({ id }) => id === short(diffId))?.["status"]);
}

function short(diffId: string | undefined): string {
  return (diffId ?? "").slice(7, 19);
}
