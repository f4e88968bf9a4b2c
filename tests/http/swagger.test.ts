// Checks every JSON reply, at every version from 1.25, against that version's own description of the API.
import { beforeAll, expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { Swagger, swaggers, versionOfSwagger } from "../support/swagger.js";
import type { RawResponse } from "../support/raw-http.js";

/** Places where Docker itself differs from its description, and clients rely on what it sends. */
const BREAKS: readonly RegExp[] = [
  // A pointer in Go, so null if not given.
  /HostConfig\/MemorySwappiness must be integer/,
  /^GET \/exec\/\{id\}\/json: \/ExitCode must be integer/,
  // In the description of 1.25, a list is described as a string, a map as a list, and the default is missing.
  /ExecIDs must be string/,
  /NetworkSettings\/Ports must be array/,
  /HostConfig\/PortBindings\/\S+ must be object/,
  /HostConfig\/RestartPolicy\/Name must be equal to one of the allowed values \["always","unless-stopped","on-failure"\]/,
  /HostConfig\/PidsLimit must be integer/,
  // Up to 1.39 the description says a list of lists of containers.
  /^GET \/system\/df: \/Containers\/\d+ must be array,null/,
];

const texts = await swaggers();
const parsed = new Map<string, Swagger>();

onEngines("swagger", (engine, kind) => {
  let running = "";
  let ended = "";

  beforeAll(async () => {
    running = await engine().running({
      ExposedPorts: { "80/tcp": {} },
      Labels: { a: "1" },
      HostConfig: {
        Binds: ["/usr/share:/x:ro"],
        Memory: 64 << 20,
        PortBindings: { "80/tcp": [{ HostPort: "18100" }] },
      },
    });
    ended = await engine().create({ Cmd: ["sh", "-c", "exit 3"] });
    await engine().start(ended);
    await engine().wait(ended);
  });

  const newest = kind === "reference" ? 41 : 55;
  for (let minor = 25; minor <= newest; minor += 1) {
    const version = `1.${minor}`;
    test(version, async () => {
      const problems: string[] = [];
      const check = async (
        status: number,
        method: string,
        path: string,
        target: string,
        body?: unknown,
      ): Promise<RawResponse> => {
        const response = await engine().must(status, method, target, body, { version });
        problems.push(...problemsOf(version, path, method, response).map((line) => `${method} ${path}: ${line}`));
        return response;
      };
      // Before 1.41 they take a second, in which all other requests run; their problems are reported at the end.
      const stats = "/containers/{id}/stats";
      const counted = check(200, "GET", stats, `/containers/${running}/stats?stream=0&one-shot=1`);
      counted.catch(() => {});
      await check(200, "GET", "/version", "/version");
      await check(200, "GET", "/info", "/info");
      await check(200, "GET", "/containers/json", "/containers/json?all=1&size=1");
      for (const id of [running, ended]) await check(200, "GET", "/containers/{id}/json", `/containers/${id}/json`);
      await check(404, "GET", "/containers/{id}/json", "/containers/nothing/json");
      await check(200, "POST", "/containers/{id}/update", `/containers/${running}/update`, { CpuShares: 512 });
      await check(404, "POST", "/containers/{id}/update", "/containers/nothing/update", { CpuShares: 512 });
      await check(200, "GET", "/containers/{id}/top", `/containers/${running}/top`);
      await check(404, "GET", "/containers/{id}/top", "/containers/nothing/top");
      await check(200, "GET", stats, `/containers/${ended}/stats?stream=0`);
      await check(200, "GET", "/system/df", "/system/df");
      if (minor >= 52) await check(200, "GET", "/system/df", "/system/df?verbose=1&type=image&type=container");
      for (const id of [running, ended])
        await check(200, "GET", "/containers/{id}/changes", `/containers/${id}/changes`);
      await check(404, "GET", "/containers/{id}/changes", "/containers/nothing/changes");
      await check(404, "GET", "/containers/{id}/export", "/containers/nothing/export");
      const archive = "/containers/{id}/archive";
      await check(400, "GET", archive, `/containers/${ended}/archive`);
      await check(404, "GET", archive, `/containers/${ended}/archive?path=/nothing`);
      await check(200, "PUT", archive, `/containers/${ended}/archive?path=/tmp`);
      await check(404, "PUT", archive, `/containers/${ended}/archive?path=/nothing`);
      await check(200, "GET", "/images/json", "/images/json");
      await check(200, "GET", "/images/{name}/json", "/images/busybox/json");
      await check(404, "GET", "/images/{name}/json", "/images/nothing/json");
      await check(200, "GET", "/images/{name}/history", "/images/busybox/history");
      await check(404, "GET", "/images/{name}/history", "/images/nothing/history");
      await check(200, "POST", "/images/prune", "/images/prune");
      await check(200, "GET", "/networks", "/networks");
      for (const name of ["bridge", "host", "none"]) await check(200, "GET", "/networks/{id}", `/networks/${name}`);
      await check(404, "GET", "/networks/{id}", "/networks/nothing");
      await check(404, "DELETE", "/networks/{id}", "/networks/nothing");
      await check(200, "POST", "/networks/prune", "/networks/prune");
      await check(200, "GET", "/volumes", "/volumes");
      await check(404, "GET", "/volumes/{name}", "/volumes/nothing");
      await check(404, "DELETE", "/volumes/{name}", "/volumes/nothing");
      await check(200, "POST", "/volumes/prune", '/volumes/prune?filters={"label":["swagger"]}');
      if (isDescribedFrom140(version)) {
        await check(200, "POST", "/build/prune", "/build/prune");
        await check(403, "DELETE", "/networks/{id}", "/networks/bridge");
        await check(503, "GET", "/swarm", "/swarm");
      }
      await check(200, "GET", "/plugins", "/plugins");
      await check(200, "POST", "/containers/{id}/wait", `/containers/${ended}/wait`);
      await check(201, "POST", "/containers/create", "/containers/create", {
        Image: "busybox",
        Cmd: ["true"],
        Labels: { swagger: "1" },
      });
      await check(200, "POST", "/containers/prune", '/containers/prune?filters={"label":["swagger"]}');
      const exec = await check(201, "POST", "/containers/{id}/exec", `/containers/${running}/exec`, { Cmd: ["true"] });
      const { Id } = exec.json<{ Id: string }>();
      await check(200, "GET", "/exec/{id}/json", `/exec/${Id}/json`);
      await check(200, "GET", "/containers/{id}/json", `/containers/${running}/json`);
      await engine().must(200, "POST", `/exec/${Id}/start`, { Detach: true }, { version });
      await check(200, "GET", "/exec/{id}/json", `/exec/${Id}/json`);
      await check(404, "GET", "/exec/{id}/json", "/exec/nothing/json");
      await check(201, "POST", "/commit", `/commit?container=${ended}`, { Labels: { swagger: "1" } });
      const unnamed = await check(200, "POST", "/images/prune", '/images/prune?filters={"label":["swagger"]}');
      expect(unnamed.json<{ ImagesDeleted: object[] }>().ImagesDeleted).toHaveLength(1);
      const made = (await check(201, "POST", "/commit", `/commit?container=${ended}`, {})).json<{ Id: string }>().Id;
      await check(200, "GET", "/images/{name}/history", `/images/${made}/history`);
      await check(200, "DELETE", "/images/{name}", `/images/${made}`);
      await counted;
      await check(200, "GET", "/events", `/events?since=1&until=${Date.now() / 1000}`);
      expect(problems.filter((line) => !BREAKS.some((row) => row.test(line)))).toEqual([]);
    });
  }
});

/** Versions between 1.25 and this one have no description of their own. */
function isDescribedFrom140(version: string): boolean {
  return Number(version.split(".")[1]) >= 40;
}

function problemsOf(version: string, path: string, method: string, response: RawResponse): string[] {
  const name = versionOfSwagger(version, texts.keys());
  const swagger = parsed.get(name) ?? new Swagger(texts.get(name) ?? "");
  parsed.set(name, swagger);
  const documents = response.text.split("\n").filter((line) => line.trim() !== "");
  const problems = documents.map((line) =>
    swagger.problems(path, method, response.status, JSON.parse(line) as unknown),
  );
  if (problems.includes(null)) return [`no schema for ${response.status} in ${name}`];
  return [...new Set(problems.flatMap((lines) => lines ?? []))];
}
