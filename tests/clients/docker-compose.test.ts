// docker-compose 1.29, unchanged: a stack of eight services from `up` to `down -v`. The tests build on one another.
import { afterAll, beforeAll, expect, test } from "vitest";
import { busyboxLayer, dockerArchive } from "../support/archives/images.js";
import { run, until } from "../support/commands.js";
import { onEngines } from "../support/on-engines.js";
import { frames } from "../support/frames.js";
import { Compose, COMPOSE_MISSING } from "./compose/compose.js";
import { containerFacts, networkFacts, volumeFacts, type ContainerFacts } from "./compose/facts.js";
import { composeFile } from "./compose/stack.js";

onEngines(
  "docker-compose",
  (engine) => {
    let compose: Compose;
    beforeAll(async () => {
      const layers = [await busyboxLayer()];
      await engine().load(await dockerArchive([{ reference: "shop:1", config: { Cmd: ["true"] }, layers }]));
      compose = await Compose.open(engine().socketPath, "stack");
      await compose.use(composeFile("hello"));
    });
    afterAll(async () => compose?.close());

    test("up -d starts the services in the order of their dependencies", async () => {
      expect(await compose.says("up", "-d")).toEqual([
        'Creating network "stack_back" with the default driver',
        'Creating network "stack_front" with the default driver',
        ...ALL.map((name) => `Creating stack_${name} ... done`),
        'Creating volume "stack_data" with default driver',
        'Creating volume "stack_fast" with default driver',
        'Creating volume "stack_tries" with default driver',
      ]);
      await until("flaky's third try", async () => (await containerFacts(engine()))["stack_flaky_1"]?.restarts === 2);
      await until("its end", async () => (await containerFacts(engine()))["stack_flaky_1"]?.status === "exited");
      expect(await containerFacts(engine())).toEqual(CONTAINERS);
      const begun = async (name: string): Promise<string> =>
        (await engine().inspect<{ State: { StartedAt: string } }>(`stack_${name}`)).State.StartedAt;
      expect((await begun("db_1")) < (await begun("api_1"))).toBe(true);
      expect((await begun("api_1")) < (await begun("web_1"))).toBe(true);
    });

    test("its networks and volumes are as the file says", async () => {
      const labels = (kind: string, name: string, more = {}): unknown => ({
        ...{ "com.docker.compose.project": "stack", "com.docker.compose.version": "1.29.2" },
        ...{ [`com.docker.compose.${kind}`]: name, ...more },
      });
      const front = [{ Subnet: "172.30.1.0/24", Gateway: "172.30.1.254" }, { Subnet: "fd00:213::/64" }];
      const back = { Subnet: "172.30.2.0/24", IPRange: "172.30.2.128/25" };
      expect(await networkFacts(engine())).toEqual({
        stack_front: {
          ...{ Driver: "bridge", Internal: false, EnableIPv6: true, Config: front },
          Options: { "com.docker.network.driver.mtu": "1400" },
          Labels: labels("network", "front"),
          Containers: ["stack_api_1", "stack_web_1"],
        },
        stack_back: {
          ...{ Driver: "bridge", Internal: true, EnableIPv6: false, Config: [back], Options: {} },
          Labels: labels("network", "back", { "com.example.side": "back" }),
          Containers: ["api_1", "cache_1", "db_1", "worker_1", "worker_2"].map((name) => `stack_${name}`),
        },
      });
      const Options = { type: "tmpfs", device: "tmpfs", o: "size=1m" };
      expect(await volumeFacts(engine())).toEqual({
        stack_data: { Driver: "local", Options: null, Labels: labels("volume", "data") },
        stack_tries: {
          Driver: "local",
          Options: null,
          Labels: labels("volume", "tries", { "com.example.of": "flaky" }),
        },
        stack_fast: { Driver: "local", Options, Labels: labels("volume", "fast") },
      });
    });

    test("ps, port, top and logs", async () => {
      const rows = (await compose.well("ps", "-a")).split("\n").slice(2, -1);
      const shown = rows.map((row) => row.trim().split(/ {2,}/));
      expect(shown.map(([name, , state, ports = ""]) => [name, state, ports])).toEqual([
        ["stack_api_1", "Up", "80/tcp"],
        ["stack_cache_1", "Up", ""],
        ["stack_db_1", "Up (healthy)", ""],
        ["stack_flaky_1", "Exit 0", ""],
        ["stack_lonely_1", "Up", ""],
        ["stack_web_1", "Up", "0.0.0.0:18600->80/tcp,:::18600->80/tcp, 127.0.0.1:18601->81/udp"],
        ["stack_worker_1", "Up", ""],
        ["stack_worker_2", "Up", ""],
      ]);
      expect(await compose.well("port", "web", "80")).toBe("0.0.0.0:18600\n");
      expect(await compose.well("top", "lonely")).toMatch(/^stack_lonely_1\nUID .* CMD *\n-+\nroot .* sleep 1000\n$/);
      expect(await compose.well("logs", "--no-color", "web", "flaky")).toContain("\nweb_1     | serves hello\n");
    });

    test("exec and run: names, addresses, what is isolated from what", async () => {
      const asked = await compose.well("exec", "-T", "web", "nslookup", "backend");
      expect(asked).toMatch(/Name:\tbackend\nAddress: 172\.30\.1\.\d+\n/);
      expect(await inside("web", "nslookup -timeout=1 -retry=1 db | grep -c Name; cat /etc/hosts")).toMatch(
        /^0\n[^]*\t?172.30.1.30\tpages\nfd00:213::30\tpages\n/,
      );
      expect(await inside("api", "cat /tmp/rows; ls /sys/class/net")).toBe("row\neth0\neth1\nlo\n");
      const ask =
        "wget -qO- http://shop/; wget -qO- http://[fd00:213::30]/; ping -6 -c 1 -W 2 shop | grep -o 'fd00:.*30).'";
      expect(await inside("api", ask)).toBe("hello\nhello\nfd00:213::30):\n");
      expect(await inside("cache", "nslookup hands | grep -c Name")).toBe("2\n");
      expect(await inside("cache", "ping -c 1 -W 1 172.30.1.30 >/dev/null || echo unreachable")).toBe("unreachable\n");
      const once = await compose.run("run", "--rm", "-T", "cache", "sh", "-c", "nslookup store | grep Name; exit 7");
      expect([once.code, once.stdout.trim()]).toEqual([7, "Name:\tstore"]);
    });

    test("a published port answers", async () => {
      const { netns } = engine().daemon;
      const ask = 'fetch("http://127.0.0.1:18600/").then(async (it) => process.stdout.write(await it.text()))';
      expect((await run(netns.inside([process.execPath, "-e", ask]))).stdout).toBe("hello\n");
    });

    test("volumes and tmpfs are mounted", async () => {
      const sizes = (await inside("cache", "df -k | grep -E 'scratch|fast|quick' | awk '{ print $6, $2 }'")).split(
        "\n",
      );
      expect(sizes.sort()).toEqual(["", "/fast 1024", "/quick 64", "/scratch 1024"]);
      expect(await inside("api", "touch /data/x 2>/dev/null || echo read-only")).toBe("read-only\n");
    });

    test("a profile; up again with more of a service; pause; restart", async () => {
      expect(await compose.says("--profile", "debug", "up", "-d", "--scale", "worker=4", "--no-recreate")).toEqual(
        expect.arrayContaining(["debug_1", "worker_3", "worker_4"].map((name) => `Creating stack_${name} ... done`)),
      );
      const netns = (name: string): Promise<string> => inside(name, "readlink /proc/self/ns/net");
      expect(await netns("debug")).toBe(await netns("api"));
      expect(await compose.says("pause", "cache")).toEqual(["Pausing stack_cache_1 ... done"]);
      expect((await containerFacts(engine()))["stack_cache_1"]?.status).toBe("paused");
      expect(await compose.says("unpause", "cache")).toEqual(["Unpausing stack_cache_1 ... done"]);
      const before = await web();
      expect(await compose.says("restart", "-t", "1", "web")).toEqual(["Restarting stack_web_1 ... done"]);
      const after = await web();
      expect([after.Id, after.State.StartedAt > before.State.StartedAt]).toEqual([before.Id, true]);
    });

    test("a changed service is created anew with its addresses; what is too much of another is removed", async () => {
      const before = await web();
      await compose.use(composeFile("again"));
      const said = await compose.says("up", "-d");
      expect(said.filter((line) => !/up-to-date$|_flaky_/.test(line))).toEqual([
        "Recreating stack_web_1 ... done",
        ...["worker_3", "worker_4"].map((name) => `Stopping and removing stack_${name} ... done`),
      ]);
      expect((await web()).Id).not.toBe(before.Id);
      expect((await containerFacts(engine()))["stack_web_1"]).toEqual(CONTAINERS["stack_web_1"]);
      expect((await engine().logs("stack_web_1")).stdout).toBe("serves again\n");
    });

    test("stop, start and down -v: nothing is left but anonymous volumes", async () => {
      expect(await compose.says("stop")).toHaveLength(ALL.length);
      expect((await containerFacts(engine()))["stack_db_1"]).toMatchObject({ status: "exited", exitCode: 137 });
      expect(await compose.says("start", "db")).toEqual(["Starting db ... done"]);
      await until("db's health", async () => {
        const { State } = await engine().inspect<{ State: { Health: { Status: string } } }>("stack_db_1");
        return State.Health.Status === "healthy";
      });
      const said = await compose.says("--profile", "debug", "down", "-v", "--remove-orphans");
      expect(said.filter((line) => !line.startsWith("Stopping "))).toEqual([
        ...["network stack_back", "network stack_front"].map((what) => `Removing ${what}`),
        ...[...ALL, "debug_1"].sort().map((name) => `Removing stack_${name} ... done`),
        ...["data", "fast", "tries"].map((name) => `Removing volume stack_${name}`),
      ]);
      expect([await containerFacts(engine()), await networkFacts(engine()), await volumeFacts(engine())]).toEqual([
        {},
        {},
        {},
      ]);
    });

    /** Output of a shell command in the first container of a service. */
    async function inside(service: string, command: string): Promise<string> {
      const body = { Cmd: ["sh", "-c", command], AttachStdout: true };
      const path = `/containers/stack_${service}_1/exec`;
      const { Id } = (await engine().must(201, "POST", path, body)).json<{ Id: string }>();
      return frames((await engine().must(200, "POST", `/exec/${Id}/start`, {})).body).stdout;
    }

    function web(): Promise<{ Id: string; State: { StartedAt: string } }> {
      return engine().inspect("stack_web_1");
    }
  },
  { missing: COMPOSE_MISSING, ownFlags: ["--max-api-version", "1.41"] },
);

const ALL = ["api_1", "cache_1", "db_1", "flaky_1", "lonely_1", "web_1", "worker_1", "worker_2"];

const running: ContainerFacts = {
  status: "running",
  exitCode: 0,
  restarts: 0,
  policy: "no",
  networks: {},
  mounts: [],
};

const worker: ContainerFacts = { ...running, networks: { stack_back: ["hands", "worker"] }, mounts: [":/own:rw"] };

/** After `up`. */
const CONTAINERS: Readonly<Record<string, ContainerFacts>> = {
  stack_db_1: {
    ...running,
    policy: "unless-stopped",
    networks: { stack_back: ["172.30.2.10", "db"] },
    mounts: ["stack_data:/data:rw"],
  },
  stack_cache_1: {
    ...running,
    networks: { stack_back: ["cache", "keep", "store"] },
    mounts: [":/quick:rw", "stack_fast:/fast:rw"],
  },
  stack_api_1: {
    ...running,
    networks: { stack_front: ["api", "backend"], stack_back: ["172.30.2.20", "api"] },
    mounts: ["stack_data:/data:ro"],
  },
  stack_web_1: { ...running, networks: { stack_front: ["172.30.1.30", "fd00:213::30", "pages", "shop", "web"] } },
  stack_worker_1: worker,
  stack_worker_2: worker,
  stack_flaky_1: {
    ...running,
    status: "exited",
    restarts: 2,
    policy: "on-failure",
    networks: { stack_back: ["flaky"] },
    mounts: ["stack_tries:/data:rw"],
  },
  stack_lonely_1: { ...running, networks: { none: [] } },
};
