// Disk reads and writes of a container in its stats. A lent engine may keep its data in memory, where they are not
// counted; these engines are on a disk.
import { expect } from "vitest";
import { SIMULATED } from "../support/allowed-skips.js";
import { until } from "../support/commands.js";
import { diskBelow } from "../support/measured/disks.js";
import type { Json } from "../support/engine-client.js";
import { onOwnEngines, testExcept } from "../support/on-engines.js";

interface Count {
  readonly major: number;
  readonly minor: number;
  readonly op: string;
  readonly value: number;
}

interface Counted {
  readonly blkio_stats: Readonly<Record<string, readonly Count[] | null>>;
}

const MIB = 1 << 20;

onOwnEngines("stats of disks", (engine, kind) => {
  const testOnDisks = (name: string, body: () => Promise<void>): void =>
    testExcept(kind, { simulated: SIMULATED.blockDevices })(name, body);

  testOnDisks("written bytes are counted", async () => {
    const write = "dd if=/dev/zero of=/big bs=1M count=4 conv=fsync 2>/dev/null; sleep 1000";
    const id = await engine().running({ Cmd: ["sh", "-c", write], HostConfig: limited() });
    const record = await until("a count", async () => {
      const record = await counted(id);
      return written(record) > 0 && record;
    });
    for (const list of Object.values(record.blkio_stats)) expect(list === null || Array.isArray(list)).toBe(true);
    expect(Object.keys(record.blkio_stats)).toContain("io_service_bytes_recursive");
    await engine().remove(id);
  });

  testOnDisks("I/O without the cache is counted exactly, by direction and in total", async () => {
    const copy = (args: string) => `dd bs=1M count=4 ${args} 2>/dev/null`;
    const script = `${copy("if=/dev/zero of=/big oflag=direct")} && ${copy("if=/big of=/dev/null iflag=direct")}`;
    const id = await engine().running({ Cmd: ["sleep", "1000"], HostConfig: limited() });
    const moved = async (): Promise<Moved> => movedOf(await counted(id));
    // Programs that are not in the page cache are also read, in the round of their first use.
    await until("a round in which nothing else was read", async () => {
      const before = await moved();
      const config = { Cmd: ["sh", "-c", script], AttachStdout: true };
      const { Id } = (await engine().must(201, "POST", `/containers/${id}/exec`, config)).json<{ Id: string }>();
      await engine().must(200, "POST", `/exec/${Id}/start`, {});
      expect(await engine().read(`/exec/${Id}/json`)).toMatchObject({ ExitCode: 0 });
      const after = await moved();
      return Object.entries(after).some(([device, counts]) => {
        const more = (name: string): number => (counts[name] ?? 0) - (before[device]?.[name] ?? 0);
        return more("read") === 4 * MIB && more("write") >= 4 * MIB;
      });
    });
    for (const { read = 0, write = 0, discard = 0, total = 0 } of Object.values(await moved())) {
      // Only cgroup v1 has sums.
      expect([0, read + write + discard]).toContain(total);
    }
    await engine().remove(id);
  });

  /** Newer kernels count a disk's requests once it has had a limit. */
  function limited(): Json {
    const disk = diskBelow(engine().daemon.directories.root);
    return disk === null ? {} : { BlkioDeviceWriteBps: [{ Path: disk, Rate: 1 << 30 }] };
  }

  function counted(id: string): Promise<Counted> {
    return engine().read<Counted>(`/containers/${id}/stats?stream=0&one-shot=1`);
  }
});

function written({ blkio_stats: { io_service_bytes_recursive: list } }: Counted): number {
  return (list ?? []).filter(({ op }) => /^write$/i.test(op)).reduce((sum, { value }) => sum + value, 0);
}

/** Bytes by operation, by device. */
type Moved = { [device: string]: { [name: string]: number } };

function movedOf({ blkio_stats: { io_service_bytes_recursive: list } }: Counted): Moved {
  const moved: Moved = {};
  for (const { major, minor, op, value } of list ?? []) (moved[`${major}:${minor}`] ??= {})[op.toLowerCase()] = value;
  return moved;
}
