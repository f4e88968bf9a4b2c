// `RUN --mount`: what a command sees, and no layer has. Docker's classic builder has none of this.
import { expect, test } from "vitest";
import { rawTar, type RawEntry } from "../../support/archives/tar.js";
import { buildOn, type Built } from "./building.js";
import type { Json } from "../../support/engine-client.js";
import { onEngines } from "../../support/on-engines.js";
import { RawConnection } from "../../support/raw-http.js";

interface CacheEntry {
  ID: string;
  Type: string;
  InUse: boolean;
  Size: number;
  UsageCount: number;
}

onEngines("mounts of builds", (engine, kind) => {
  if (kind === "reference") {
    test("it has no mounts", async () => {
      const { error } = await make("FROM busybox\nRUN --mount=type=tmpfs,target=/t true\n");
      expect(error?.["error"]).toMatch(/the --mount option requires BuildKit/);
    });
  } else {
    ownTests();
  }

  function ownTests(): void {
    test("the context is mounted read-only, and its files are part of the key", async () => {
      const file =
        "FROM busybox\nRUN --mount=target=/in ls /in && cat /in/d/f && ! touch /in/x\n" +
        "RUN --mount=source=d/f,target=/etc/one cat /etc/one\nRUN ! ls -d /in && ! ls /etc/one && echo no mount points\n";
      const first = await make(file, [{ name: "d/f", body: "one\n" }]);
      expect(first.error).toBeNull();
      expect(first.lines.filter((line) => line === "one")).toHaveLength(2);
      expect(first.lines).toContain("no mount points");
      expect((await make(file, [{ name: "d/f", body: "one\n" }])).id).toBe(first.id);
      expect((await make(file, [{ name: "d/f", body: "two\n" }])).lines).toContain("two");
    });

    test("what a command writes into a bind is gone afterwards", async () => {
      const file =
        "FROM busybox AS src\nRUN mkdir /s && echo s > /s/f\nFROM busybox\n" +
        "RUN --mount=rw,target=/in echo x > /in/made && cat /in/made /in/a\n" +
        "RUN --mount=from=src,source=s,target=/s,rw cat /s/f && echo y > /s/f && cat /s/f\n" +
        "RUN --mount=from=src,source=/s,target=/s --mount=target=/in cat /s/f && ls /in\n" +
        "RUN --mount=from=busybox,source=bin,target=/b /b/echo image\n";
      const { lines, error } = await make(file, [{ name: "a", body: "a\n" }]);
      expect(error).toBeNull();
      expect(lines.filter((line) => !line.startsWith("Step"))).toEqual([
        ...["x", "a", "s", "y", "s", "Dockerfile", "a", "image", "Successfully built"],
      ]);
    });

    test("a mount point stays if the image has it, or if the command needed it otherwise", async () => {
      const mounts =
        "--mount=type=cache,target=/made/here --mount=type=tmpfs,target=/empty --mount=target=/file,source=a";
      const file =
        "FROM busybox\nRUN mkdir -m 0710 /empty && touch /file\n" +
        `RUN ${mounts} touch /made/beside\nRUN --mount=type=cache,target=/no/more true\n` +
        `RUN stat -c '%a %s' /empty /file; ls -A /made; ! ls -d /no 2>/dev/null\n`;
      const { lines, error } = await make(file, [{ name: "a", body: "a\n" }]);
      expect(error).toBeNull();
      const [empty, whole, ...made] = lines.slice(lines.findLastIndex((line) => line.startsWith("Step")) + 1);
      expect([empty?.split(" ")[0], whole, made]).toEqual(["710", "644 0", ["beside", "Successfully built"]]);
      await pruned("");
    });

    test("a tmpfs has its size, and nothing of it stays", async () => {
      const { lines, error } = await make(
        "FROM busybox\nRUN --mount=type=tmpfs,target=/t,size=1m grep ' /t tmpfs ' /proc/mounts | grep -o size=1024k; echo x > /t/x\n" +
          "RUN ls -A /t | wc -l\n",
      );
      expect(error).toBeNull();
      expect(lines).toContain("0");
      if (kind === "linux") expect(lines).toContain("size=1024k");
    });

    test("a cache is kept from build to build, counted and pruned", async () => {
      const line = "RUN --mount=type=cache,id=kept,target=/c,mode=0711,uid=3,gid=4";
      const first = await make(`FROM busybox\n${line} stat -c '%a %u:%g' /c; echo 12345 > /c/one\n`);
      expect(first.lines).toContain("711 3:4");
      const second = await make(`FROM busybox\n${line} cat /c/one; echo > /c/two; ls /c\n`);
      expect(second.lines).toContain("12345");
      expect(await ids("/volumes", "Volumes")).toEqual([]);
      await expect.poll(async () => (await caches()).map(({ Size }) => Size)).toEqual([7]);
      const [cache] = await caches();
      expect(cache).toMatchObject({ Type: "exec.cachemount", InUse: false, UsageCount: 2 });
      const filters = (wanted: object): string => encodeURIComponent(JSON.stringify(wanted));
      for (const wanted of [{ id: ["x"] }, { until: ["1h"] }, { type: ["regular"] }, { inuse: ["true"] }])
        expect(await pruned(`filters=${filters(wanted)}`)).toEqual({ CachesDeleted: null, SpaceReclaimed: 0 });
      expect(await pruned("keep-storage=7")).toMatchObject({ SpaceReclaimed: 0 });
      expect(await pruned(`filters=${filters({ type: ["exec.cachemount"] })}`)).toEqual({
        CachesDeleted: [cache?.ID],
        SpaceReclaimed: 7,
      });
      expect(await caches()).toEqual([]);
      expect((await make(`FROM busybox\n${line} ls /c | wc -l # anew\n`)).lines).toContain("0");
      await pruned("");
    });

    test("a cache begins with the files of a stage, and is not mixed with others", async () => {
      const file =
        "FROM busybox AS src\nRUN mkdir -p /s/in && echo seed > /s/in/f\nFROM busybox\n" +
        "RUN --mount=type=cache,target=/c,from=src,source=s/in cat /c/f && echo more > /c/f\n" +
        "RUN --mount=type=cache,target=/c,from=src,source=s/in cat /c/f # again\n" +
        "RUN --mount=type=cache,target=/c ls /c | wc -l\n" +
        "RUN --mount=type=cache,target=/c,ro touch /c/x || echo fixed\n";
      const { lines, error } = await make(file);
      expect(error).toBeNull();
      expect(lines.filter((line) => ["seed", "more", "0", "fixed"].includes(line))).toEqual([
        ...["seed", "more", "0", "fixed"],
      ]);
      await pruned("");
    });

    test("two steps never have a locked cache at once", async () => {
      const step = (name: string): string =>
        `FROM busybox\nRUN --mount=type=cache,id=l,target=/c,sharing=locked ` +
        `mkdir /c/busy && echo ${name} && sleep 0.3 && rmdir /c/busy\n`;
      const built = await Promise.all(["a", "b", "c"].map(async (name) => make(step(name), [], "nocache=1")));
      expect(built.map(({ error }) => error)).toEqual([null, null, null]);
      expect(await caches()).toHaveLength(1);
      await pruned("");
    });

    test("steps share a cache, unless it is private", async () => {
      const both = async (sharing: string): Promise<(Json | null)[]> => {
        const step = (own: string, other: string): string =>
          `FROM busybox\nRUN --mount=type=cache,id=${sharing},target=/c,sharing=${sharing} ` +
          `touch /c/${own}; i=0; until [ -e /c/${other} ]; do i=$((i + 1)); [ $i -gt 20 ] && exit 9; sleep 0.1; done\n`;
        const built = await Promise.all([make(step("a", "b"), [], FORCE), make(step("b", "a"), [], FORCE)]);
        return built.map(({ error }) => error);
      };
      expect(await both("shared")).toEqual([null, null]);
      expect(await both("private")).not.toContain(null);
      expect(await caches()).toHaveLength(3);
      await pruned("");
    });

    test.each([
      ["fails", async (step: string) => void (await make(`${step} touch /c/x; exit 3\n`, [], FORCE))],
      ["is hung up", async (step: string) => hungUp(`${step} touch /c/x; echo is "written"; sleep 1000\n`)],
    ])("a step that %s gives its locked cache to the next", async (_what, end) => {
      const step = "FROM busybox\nRUN --mount=type=cache,id=h,target=/c,sharing=locked";
      await end(step);
      expect((await make(`${step} ls /c\n`, [], "nocache=1")).lines).toContain("x");
      await expect.poll(async () => ids("/containers/json?all=1")).toEqual([]);
      await pruned("");
    });

    test.each([
      ["--mount=target=/in,source=none true", /^RUN failed: file not found in build context.*none/],
      [
        "--mount=target=/in,from=busybox,source=none ls",
        /cannot access path none of the image that is mounted: no such file/,
      ],
      [
        "--mount=type=cache,target=/in,from=busybox,source=none ls",
        /^RUN failed: cannot access path none of the image that is mounted: no such file or directory$/,
      ],
      [
        "--mount=type=cache,target=/in,from=busybox,source=/etc/passwd ls",
        /^RUN failed: cannot access path etc\/passwd of the image that is mounted: not a directory$/,
      ],
      ["--mount=target=/in,from=5 true", /^invalid from flag value 5: index out of bounds/],
      ["--mount=type=secret,id=s true", /^RUN --mount=type=secret needs a client .*docker buildx.*--mount=type=bind$/],
      ["--mount=type=ssh true", /^RUN --mount=type=ssh needs a client that can be asked: /],
      ["--mount=type=tmpfs,target=/t,size=lots true", /^invalid size of a tmpfs: "lots"$/],
      ["--mount=type=cache,target=/t,mode=9 true", /^invalid value 9 for mode$/],
      ["--security=insecure true", /^RUN --security=insecure is refused: /],
    ])("cannot run %s", async (line, expected) => {
      const { error } = await make(`FROM busybox\nRUN ${line}\n`, [{ name: "a", body: "" }], FORCE);
      expect(error?.["error"]).toMatch(expected);
      await expect.poll(async () => ids("/containers/json?all=1")).toEqual([]);
    });

    test("a link in the files of a mount does not lead out of them", async () => {
      // The container and the machine have the same path, with something else there.
      const file =
        "FROM busybox AS src\nRUN mkdir /s && echo the stage > /etc/hostname-of && ln -s /etc/hostname-of /s/f && " +
        "ln -s / /s/root && ln -s ../../../../etc /s/up\nFROM busybox\nRUN echo the container > /etc/hostname-of\n";
      for (const [source, seen] of [
        ["s/f", "/e"],
        ["s/root/etc", "/e/hostname-of"],
        ["s/up", "/e/hostname-of"],
      ]) {
        const { lines } = await make(`${file}RUN --mount=from=src,source=${source},target=/e cat ${seen}\n`);
        expect(lines).toContain("the stage");
      }
      const away = await make(`${file}RUN --mount=from=src,source=s,target=/e cat /e/f\n`);
      expect(away.lines).toContain("the container");
    });

    test.each(["none", "host", "default"])("--network=%s", async (network) => {
      const { lines, error } = await make(`FROM busybox\nRUN --network=${network} ls /sys/class/net | wc -l\n`);
      expect(error).toBeNull();
      if (network === "none" && kind === "linux") expect(lines).toContain("1");
    });
  }

  async function make(file: string, files: RawEntry[] = [], query = ""): Promise<Built> {
    return buildOn(engine(), file, files, query);
  }

  /** Builds until the step has written to its cache, and hangs up. */
  async function hungUp(file: string): Promise<void> {
    const context = rawTar([{ name: "Dockerfile", body: file }]);
    const connection = await RawConnection.open(engine().socketPath);
    connection.send(`POST /build?nocache=1 HTTP/1.1\r\nHost: d\r\nContent-Length: ${context.length}\r\n\r\n`);
    connection.send(context);
    await connection.untilText("is written");
    connection.close();
  }

  async function caches(): Promise<CacheEntry[]> {
    return (await engine().read<{ BuildCache: CacheEntry[] }>("/system/df")).BuildCache;
  }

  async function pruned(query: string): Promise<Json> {
    return (await engine().must(200, "POST", `/build/prune?${query}`)).json<Json>();
  }

  async function ids(path: string, member?: string): Promise<unknown[]> {
    const answer = await engine().read<unknown[] | Record<string, unknown[] | null>>(path);
    return Array.isArray(answer) ? answer : (answer[member ?? ""] ?? []);
  }
});

const FORCE = "forcerm=1";
