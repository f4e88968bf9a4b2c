// SIGHUP: the daemon rereads its configuration, and reports it in an event.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { until } from "../support/commands.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { type Event, past, stamp } from "../support/past-events.js";
import { startMemoryRegistry } from "../support/registry/memory-registry.js";
import { pullLines, smallImage } from "../support/registry/pulls.js";
import { packImage } from "../support/registry/push-image.js";

const directory = mkdtempSync(join(tmpdir(), "coracle-reload-"));
const file = join(directory, "daemon.json");
write({});
afterAll(() => rmSync(directory, { recursive: true }));

/** The engines of this file run one after the other, each from start to end. */
function write(configuration: unknown): void {
  writeFileSync(file, typeof configuration === "string" ? configuration : JSON.stringify(configuration));
}

/** In the format of events. The reference keeps labels in a map, which has no order. */
const LABELS = [String.raw`["a=\u003cb\u003e","c=d"]`, String.raw`["c=d","a=\u003cb\u003e"]`];

interface Info {
  ID: string;
  Name: string;
  Debug: boolean;
  Labels: string[];
  DefaultRuntime: string;
  Runtimes: Record<string, { path: string }>;
  RegistryConfig: {
    InsecureRegistryCIDRs: string[];
    Mirrors: string[];
    IndexConfigs: Record<string, { Mirrors: string[] }>;
  };
}

onEngines(
  "a reload",
  (engine, kind) => {
    test("applies new settings, and reports them", async () => {
      write({ debug: true, labels: ["a=<b>", "c=d"], "insecure-registries": ["10.1.0.0/16"] });
      const event = await reloaded();
      const info = await engine().read<Info>("/info");
      expect([info.Debug, info.Labels.sort()]).toEqual([true, ["a=<b>", "c=d"]]);
      expect(info.RegistryConfig.InsecureRegistryCIDRs).toContain("10.1.0.0/16");
      expect([event.Type, event.Actor.ID, event.scope, event.status]).toEqual(["daemon", info.ID, "local", undefined]);
      const runtimes = event.Actor.Attributes["runtimes"] ?? "";
      for (const name of Object.keys(info.Runtimes)) expect(runtimes).toContain(`${name}:`);
      expect(event.Actor.Attributes).toMatchObject({
        debug: "true",
        "default-ipc-mode": "private",
        "default-runtime": info.DefaultRuntime,
        "default-shm-size": "67108864",
        features: "map[]",
        "insecure-registries": '["10.1.0.0/16"]',
        labels: expect.toBeOneOf(LABELS) as string,
        "max-concurrent-downloads": "3",
        name: info.Name,
        "registry-mirrors": "[]",
      });
    });

    test("keeps settings that the file no longer contains", async () => {
      write({ debug: false });
      const { Actor } = await reloaded();
      expect(Actor.Attributes["debug"]).toBe("false");
      expect(LABELS).toContain(Actor.Attributes["labels"]);
      const info = await engine().read<Info>("/info");
      expect([info.Debug, info.Labels.length]).toEqual([false, 2]);
    });

    test("ignores an invalid configuration", async () => {
      const since = await stamp(engine());
      for (const wrong of ['{"labels": ', '{"nonsense": 1}', '{"labels": ["bare"]}']) {
        const logged = engine().daemon.log().length;
        write(wrong);
        process.kill(engine().daemon.pid(), "SIGHUP");
        await until("the daemon to say what is wrong", () => /level=error/.test(engine().daemon.log().slice(logged)));
      }
      expect(await reloads(since)).toEqual([]);
      write({ labels: [] });
      expect((await reloaded()).Actor.Attributes["labels"]).toBe("[]");
    });

    testExcept(kind, { reference: REFERENCE.runtimes })("offers other runtimes, with another default", async () => {
      const given = await engine().read<Info>("/info");
      const path = given.Runtimes[given.DefaultRuntime]!.path;
      write({ runtimes: { mine: { path } }, "default-runtime": "mine" });
      const { Actor } = await reloaded();
      expect(Actor.Attributes["default-runtime"]).toBe("mine");
      const id = await engine().create({ Cmd: ["true"] });
      expect((await engine().inspect<{ HostConfig: { Runtime: string } }>(id)).HostConfig.Runtime).toBe("mine");
      await engine().start(id);
      expect(await engine().wait(id)).toBe(0);
      await engine().remove(id);
      write({ "default-runtime": "nowhere" });
      const logged = engine().daemon.log().length;
      process.kill(engine().daemon.pid(), "SIGHUP");
      await until("the refusal", () => engine().daemon.log().slice(logged).includes("nowhere"));
      expect((await engine().read<Info>("/info")).DefaultRuntime).toBe("mine");
      const left = await engine().create({ Cmd: ["true"] });
      write({ runtimes: {}, "default-runtime": given.DefaultRuntime });
      await reloaded();
      const refused = await engine().call("POST", `/containers/${left}/start`);
      expect([refused.status, refused.json()]).toEqual([400, { message: "unknown or invalid runtime name: mine" }]);
      await engine().remove(left);
      write({});
    });

    test("takes mirrors of the Hub, and pulls come from there", async () => {
      const mirror = await startMemoryRegistry(engine().daemon.netns.hostAddress);
      try {
        const image = packImage(await smallImage("mirrored", 1));
        mirror.put("library/mirrored", ["1"], image);
        write({ "registry-mirrors": [`http://${mirror.host}`] });
        const told = [`http://${mirror.host}/`];
        const given = JSON.stringify([`http://${mirror.host}`]);
        expect((await reloaded()).Actor.Attributes["registry-mirrors"]).toBe(given);
        const { RegistryConfig } = await engine().read<Info>("/info");
        expect([RegistryConfig.Mirrors, RegistryConfig.IndexConfigs["docker.io"]?.Mirrors]).toEqual([told, told]);
        const lines = await pullLines(engine(), "fromImage=mirrored&tag=1");
        expect(lines[0]).toEqual({ status: "Pulling from library/mirrored", id: "1" });
        expect(lines.at(-1)).toEqual({ status: "Status: Downloaded newer image for mirrored:1" });
        const pulled = await engine().read<{ Id: string; RepoTags: string[] }>("/images/mirrored:1/json");
        expect([pulled.Id, pulled.RepoTags]).toEqual([image.id, ["mirrored:1"]]);
      } finally {
        write({ "registry-mirrors": [] });
        await reloaded();
        await mirror.close();
      }
    });

    /** Sends the signal and returns its single event. */
    async function reloaded(): Promise<Event> {
      const since = await stamp(engine());
      process.kill(engine().daemon.pid(), "SIGHUP");
      await until("the event", async () => (await reloads(since)).length > 0);
      const events = await reloads(since);
      expect(events.length).toBe(1);
      return events[0]!;
    }

    function reloads(since: string): Promise<Event[]> {
      return past(engine(), since, { type: ["daemon"], event: ["reload"] });
    }
  },
  { flags: ["--config-file", file] },
);
