// Sends the same requests to both engines, at their newest common API version and at the oldest that has all of the
// endpoints: statuses, header names, JSON keys and types must be the same, except for those listed in
// tests/reference-differences.ts. Answers about the engines themselves are also compared at older versions. A row whose
// lines no longer differ in any version fails too.
import { afterAll, beforeAll, expect, test } from "vitest";
import { DIFFERENCES } from "../reference-differences.js";
import { realEngines, RunningEngine, startWithBusybox } from "../support/engines.js";
import { describeUnless } from "../support/on-engines.js";
import { shapeOf } from "../support/shape.js";
import type { RawResponse } from "../support/raw-http.js";

const all = realEngines();
const missing =
  all.find((engine) => engine.missing !== null)?.missing ?? (all.length < 2 ? "one engine was chosen" : null);

describeUnless(missing, "the two engines", () => {
  const running: RunningEngine[] = [];
  /** Shapes by step, by engine and version. */
  const told = new Map<string, Map<string, string[]>>();

  beforeAll(async () => {
    for (const engine of all) running.push(new RunningEngine(engine, await startWithBusybox(engine)));
    for (const version of ALL_VERSIONS) {
      for (const engine of running) told.set(`${engine.kind} ${version}`, await tell(engine, version));
    }
  }, 180_000);
  afterAll(async () => {
    for (const engine of running) await engine.daemon.close();
  }, 60_000);

  test.each(ALL_VERSIONS)("differ only as listed at %s", (version) => {
    const unlisted = differences(version).filter((line) => !ROWS.some((row) => row.test(line)));
    expect(unlisted).toEqual([]);
  });

  test("still differ in every listed line", () => {
    const found = ALL_VERSIONS.flatMap(differences);
    expect(ROWS.filter((row) => !found.some((line) => row.test(line))).map(String)).toEqual([]);
  });

  /** `STEP + LINE` for what only our engine has, `STEP - LINE` for what only the reference has. */
  function differences(version: string): string[] {
    const [ours, reference] = [told.get(`linux ${version}`), told.get(`reference ${version}`)];
    const lines: string[] = [];
    for (const [step, shape] of ours ?? []) {
      const other = reference?.get(step) ?? [];
      lines.push(...shape.filter((line) => !other.includes(line)).map((line) => `${step} + ${line}`));
      lines.push(...other.filter((line) => !shape.includes(line)).map((line) => `${step} - ${line}`));
    }
    return lines;
  }
});

/** The versions for all requests. */
const VERSIONS = ["1.25", "1.41"];
const ALL_VERSIONS = ["1.24", ...VERSIONS, "1.31", "1.38", "1.40"];
const ROWS = DIFFERENCES.flatMap((row) => row.lines ?? []);

/** Depends on whether a container read from a disk or found everything in the kernel's cache. */
const BY_CHANCE = /\.blkio_stats\.\w+\[\]/;

/** Sends the requests. Returns the shape of each answer by its step's name. */
async function tell(engine: RunningEngine, version: string): Promise<Map<string, string[]>> {
  const shapes = new Map<string, string[]>();
  const step = async (name: string, method: string, path: string, body?: unknown): Promise<RawResponse> => {
    const response = await engine.call(method, path, body, { version });
    shapes.set(
      name,
      shapeOf(response).filter((line) => !BY_CHANCE.test(line)),
    );
    return response;
  };
  await step("ping", "GET", "/_ping");
  await step("head ping", "HEAD", "/_ping");
  await step("version", "GET", "/version");
  await step("info", "GET", "/info");
  await step("options", "OPTIONS", "/info");
  if (!VERSIONS.includes(version)) return shapes;
  await step("not found", "GET", "/nothing");
  await step("empty list", "GET", "/containers/json?all=1");
  const made = await step("create", "POST", "/containers/create?name=told", FULL);
  const { Id } = made.json<{ Id: string }>();
  await step("created inspect", "GET", `/containers/${Id}/json`);
  await step("created list", "GET", "/containers/json?all=1");
  await step("start", "POST", `/containers/${Id}/start`);
  await step("start again", "POST", `/containers/${Id}/start`);
  await step("running inspect", "GET", `/containers/${Id}/json?size=1`);
  await step("running list", "GET", "/containers/json?size=1");
  await step("top", "GET", `/containers/${Id}/top`);
  await step("stats", "GET", `/containers/${Id}/stats?stream=0`);
  await step("stats at once", "GET", `/containers/${Id}/stats?stream=0&one-shot=1`);
  await step("resize", "POST", `/containers/${Id}/resize?h=10&w=10`);
  await step("remove running", "DELETE", `/containers/${Id}`);
  await step("pause", "POST", `/containers/${Id}/pause`);
  await step("pause again", "POST", `/containers/${Id}/pause`);
  await step("paused inspect", "GET", `/containers/${Id}/json`);
  await step("unpause", "POST", `/containers/${Id}/unpause`);
  await step("unpause again", "POST", `/containers/${Id}/unpause`);
  await step("restart", "POST", `/containers/${Id}/restart?t=0`);
  await step("rename", "POST", `/containers/${Id}/rename?name=renamed`);
  await step("rename to nothing", "POST", `/containers/${Id}/rename`);
  await step("kill", "POST", `/containers/${Id}/kill?signal=USR1`);
  await step("stop", "POST", `/containers/${Id}/stop?t=0`);
  await step("stats stopped", "GET", `/containers/${Id}/stats?stream=0`);
  await step("disk usage", "GET", "/system/df");
  await step("stop again", "POST", `/containers/${Id}/stop`);
  await step("wait", "POST", `/containers/${Id}/wait`);
  await step("logs", "GET", `/containers/${Id}/logs?stdout=1&timestamps=1`);
  await step("stopped inspect", "GET", `/containers/${Id}/json`);
  await step("stopped list", "GET", "/containers/json?all=1");
  await step("commit", "POST", `/commit?container=${Id}&repo=told&tag=1&comment=c`, {});
  await step("committed inspect", "GET", "/images/told:1/json");
  await step("remove", "DELETE", `/containers/${Id}`);
  await step("removed inspect", "GET", `/containers/${Id}/json`);
  const plain = await step("create plain", "POST", "/containers/create", { Image: "busybox" });
  const plainId = plain.json<{ Id: string }>().Id;
  await step("plain inspect", "GET", `/containers/${plainId}/json`);
  const labelled = await step("create labelled", "POST", "/containers/create", {
    Image: "busybox",
    Labels: { prune: "1" },
  });
  await step("prune", "POST", '/containers/prune?filters={"label":["prune"]}');
  await step("prune nothing", "POST", '/containers/prune?filters={"label":["prune"]}');
  await step("pruned inspect", "GET", `/containers/${labelled.json<{ Id: string }>().Id}/json`);
  await step("remove plain", "DELETE", `/containers/${plainId}`);
  await step("images", "GET", "/images/json");
  await step("image", "GET", "/images/busybox/json");
  await step("no image", "GET", "/images/nothing/json");
  await step("tag", "POST", "/images/busybox/tag?repo=again&tag=1");
  await step("untag", "DELETE", "/images/again:1");
  await step("create without image", "POST", "/containers/create", { Image: "nothing" });
  await step("networks", "GET", "/networks");
  await step("network", "GET", "/networks/bridge");
  await step("host network", "GET", "/networks/host");
  await step("no network", "GET", "/networks/nothing");
  await step("volumes", "GET", "/volumes");
  await step("no volume", "GET", "/volumes/nothing");
  await step("plugins", "GET", "/plugins");
  await step("no plugin", "GET", "/plugins/nothing/json");
  await step("events", "GET", `/events?since=1&until=${Date.now() / 1000}`);
  return shapes;
}

const FULL = {
  Image: "busybox",
  Cmd: ["sleep", "1000"],
  Env: ["A=1"],
  Labels: { a: "1" },
  Tty: true,
  OpenStdin: true,
  StopSignal: "SIGTERM",
  StopTimeout: 1,
  ExposedPorts: { "80/tcp": {} },
  HostConfig: {
    Memory: 64 << 20,
    PidsLimit: 100,
    Binds: ["/usr/share:/x:ro"],
    CapAdd: ["NET_ADMIN"],
    PortBindings: { "80/tcp": [{ HostPort: "18090" }] },
  },
};
