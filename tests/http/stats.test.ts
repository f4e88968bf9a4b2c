// Resource use of a container: one record, a stream of them, and the records of stopped containers.
import { expect, test } from "vitest";
import { REFERENCE } from "../support/allowed-skips.js";
import { until } from "../support/commands.js";
import { messageOf } from "../support/engine-client.js";
import { onEngines, testExcept } from "../support/on-engines.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

interface Cpu {
  cpu_usage: { total_usage: number; usage_in_kernelmode: number; usage_in_usermode: number; percpu_usage?: number[] };
  system_cpu_usage?: number;
  online_cpus?: number;
  throttling_data: object;
}

interface Record {
  id: string;
  name: string;
  os_type?: string;
  read: string;
  preread: string;
  pids_stats: { current?: number; limit?: number };
  blkio_stats: { [list: string]: { major: number; minor: number; op: string; value: number }[] | null };
  cpu_stats: Cpu;
  precpu_stats: Cpu;
  memory_stats: { usage?: number; limit?: number; stats?: { [name: string]: number } };
  networks?: { [name: string]: { [count in "rx_bytes" | "tx_bytes" | "rx_packets" | "tx_packets"]: number } };
}

const NO_TIME = "0001-01-01T00:00:00Z";
const MIB = 1 << 20;
const MEMORY = 64 * MIB;

onEngines("stats", (engine, kind) => {
  const one = (id: string, query = ""): Promise<Record> =>
    engine().read<Record>(`/containers/${id}/stats?stream=0${query}`);

  test("one record compares two samples, a second apart", async () => {
    const id = await engine().running({ Cmd: ["sleep", "1000"], HostConfig: { Memory: MEMORY } }, "?name=counted");
    const began = Date.now();
    const record = await one(id);
    // The world's clock may be behind the test's and catch up.
    if (kind !== "simulated") expect(Date.now() - began).toBeGreaterThan(900);
    expect(record).toMatchObject({ id, name: "/counted", num_procs: 0, storage_stats: {} });
    expect(record.pids_stats.current).toBe(1);
    expect(record.memory_stats.limit).toBe(MEMORY);
    expect(record.memory_stats.usage).toBeGreaterThan(0);
    expect(record.memory_stats.usage).toBeLessThan(MEMORY);
    const elapsed = Date.parse(record.read) - Date.parse(record.preread);
    expect(elapsed).toBeGreaterThan(900);
    expect(elapsed).toBeLessThan(20_000);
    const [now, before] = [record.cpu_stats, record.precpu_stats];
    expect(now.online_cpus).toBe(engine().machine.cpus);
    expect(now.cpu_usage.total_usage).toBeGreaterThanOrEqual(before.cpu_usage.total_usage);
    // All processors together, including idle time.
    const machine = (now.system_cpu_usage! - before.system_cpu_usage!) / 1e6;
    expect(machine).toBeGreaterThan((elapsed - 200) * now.online_cpus! * 0.5);
    expect(machine).toBeLessThan((elapsed + 500) * now.online_cpus! * 1.5);
    await engine().remove(id);
  });

  test("a loop uses a processor, a sleeper does not", async () => {
    const busy = await engine().running({ Cmd: ["sh", "-c", "while :; do :; done"] });
    const idle = await engine().running();
    const [used, rested] = await Promise.all([share(busy), share(idle)]);
    // On a busy machine it gets little time.
    expect(used).toBeGreaterThan(0.02);
    expect(used).toBeLessThan(1.5);
    expect(rested).toBeLessThan(Math.min(used / 2, 0.05));
    for (const id of [busy, idle]) await engine().remove(id);
  });

  test("one-shot: a single sample with nothing before it, at once", async () => {
    const id = await engine().running();
    const quick = () => one(id, "&one-shot=1");
    const record = await (kind === "reference" ? quick() : answeredBeforePairs(id, quick));
    expect(record.preread).toBe(NO_TIME);
    expect(Date.parse(record.read)).toBeGreaterThanOrEqual(await startOf(id));
    expect(record.precpu_stats).toEqual(NO_CPU);
    expect(record.cpu_stats.online_cpus).toBe(engine().machine.cpus);
    await engine().remove(id);
  });

  test("processes, memory and its limit", async () => {
    const id = await engine().running({
      Cmd: ["sh", "-c", "sleep 1000 & sleep 1000 & wait"],
      HostConfig: { PidsLimit: 37 },
    });
    let record = await one(id, "&one-shot=1");
    while (record.pids_stats.current !== 3) record = await one(id, "&one-shot=1");
    expect(record.pids_stats).toEqual({ current: 3, limit: 37 });
    expect(record.memory_stats.limit).toBe(engine().machine.memory);
    const stats = record.memory_stats.stats!;
    expect(Object.keys(stats)).toEqual(Object.keys(stats).sort());
    expect(stats).toHaveProperty(record.cpu_stats.cpu_usage.percpu_usage ? "total_inactive_file" : "inactive_file");
    await engine().remove(id);
  });

  test("networks: the counters of its interfaces; none on the host network, and without a network", async () => {
    const bridged = await engine().running();
    expect(Object.keys((await one(bridged, "&one-shot=1")).networks ?? {})).toEqual(["eth0"]);
    for (const NetworkMode of ["host", "none"]) {
      const id = await engine().running({ HostConfig: { NetworkMode } });
      expect(await one(id, "&one-shot=1")).not.toHaveProperty("networks");
      await engine().remove(id);
    }
    await engine().remove(bridged);
  });

  test("a stopped container: one record of zeros, at once", async () => {
    const id = await engine().create({}, "?name=unborn");
    const watched = await engine().running();
    const record = await answeredBeforePairs(watched, () => one(id));
    await engine().remove(watched);
    expect(record).toMatchObject({
      id,
      name: "/unborn",
      read: NO_TIME,
      preread: NO_TIME,
      pids_stats: {},
      memory_stats: {},
    });
    expect(record.cpu_stats).toEqual(NO_CPU);
    expect(record.precpu_stats).toEqual(NO_CPU);
    expect(Object.values(record.blkio_stats)).toEqual(Array(8).fill(null));
    expect(messageOf(await engine().call("GET", "/containers/nope/stats"))).toBe("No such container: nope");
    await engine().remove(id);
  });

  test("a stream: no type, zeros while nothing runs, records of the run, zeros again, the end with the container", async () => {
    const id = await engine().create({ Cmd: ["sleep", "1000"] });
    const stream = await Stream.open(engine().daemon.socketPath, `/containers/${id}/stats`);
    expect(stream.head).not.toMatch(/content-type/i);
    expect((await stream.next()).read).toBe(NO_TIME);
    await engine().start(id);
    const first = await stream.until(({ read }) => read !== NO_TIME);
    expect(first.pids_stats.current).toBe(1);
    const second = await stream.next();
    expect(second.preread).toBe(first.read);
    expect(second.precpu_stats).toEqual(first.cpu_stats);
    await engine().must(204, "POST", `/containers/${id}/kill`);
    await stream.until(({ read }) => read === NO_TIME);
    await engine().remove(id);
    await stream.ended();
  });

  test("many clients watch the same container, some leave, one never reads", async () => {
    const id = await engine().running();
    const idle = await Stream.open(engine().daemon.socketPath, `/containers/${id}/stats`, false);
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => Stream.open(engine().daemon.socketPath, `/containers/${id}/stats`)),
    );
    for (const stream of streams) await stream.next();
    for (const stream of streams.slice(0, 10)) stream.close();
    const records = await Promise.all(streams.slice(10).map((stream) => stream.next()));
    // All clients share one sample.
    if (kind !== "reference") expect(new Set(records.map(({ read }) => read)).size).toBeLessThanOrEqual(2);
    for (const stream of [...streams.slice(10), idle]) stream.close();
    await engine().remove(id);
  });

  testExcept(kind, { reference: REFERENCE.after141 })("os_type from 1.52 on", async () => {
    const id = await engine().running();
    const at = async (version: string): Promise<Record> =>
      (await engine().must(200, "GET", `/containers/${id}/stats?stream=0`, undefined, { version })).json<Record>();
    const [newer, newest] = await Promise.all([at("1.51"), at("1.52")]);
    expect([newer.os_type, newest.os_type]).toEqual([undefined, "linux"]);
    await engine().remove(id);
  });

  test("networks: a container's sent and received packets are counted", async () => {
    const Cmd = ["sh", "-c", "ping -c 3 -i 0.1 172.17.0.1 > /dev/null && echo done; sleep 1000"];
    const id = await engine().running({ Cmd });
    await until("the answers", async () => (await engine().logs(id)).stdout === "done\n");
    const { eth0 } = (await one(id, "&one-shot=1")).networks ?? {};
    await engine().remove(id);
    const names = [
      "rx_bytes",
      "rx_dropped",
      "rx_errors",
      "rx_packets",
      "tx_bytes",
      "tx_dropped",
      "tx_errors",
      "tx_packets",
    ];
    expect(Object.keys(eth0 ?? {}).sort()).toEqual(names);
    // Each of the three has 56 bytes and the headers of ICMP, IP and Ethernet.
    for (const way of ["rx", "tx"] as const) {
      expect(eth0?.[`${way}_packets`]).toBeGreaterThanOrEqual(3);
      expect(eth0?.[`${way}_bytes`]).toBeGreaterThanOrEqual(3 * 98);
    }
  });

  /**
   * Returns an answer that arrives before an earlier request for two samples, which takes a second: so it did not wait.
   * If the machine stalled meanwhile, the result is unknown and the test repeats it.
   */
  async function answeredBeforePairs(id: string, ask: () => Promise<Record>): Promise<Record> {
    for (let round = 0; round < 10; round++) {
      let isPairThere = false;
      const pair = one(id).then(() => (isPairThere = true));
      const record = await ask();
      const wasFirst = !isPairThere;
      await pair;
      if (wasFirst) return record;
    }
    throw new Error("it is never answered before a pair of samples is");
  }

  /** In milliseconds since 1970, by the engine's clock. */
  async function startOf(id: string): Promise<number> {
    return Date.parse((await engine().inspect<{ State: { StartedAt: string } }>(id)).State.StartedAt);
  }

  /** Share of one processor, by the clients' formula. */
  async function share(id: string): Promise<number> {
    const { cpu_stats: now, precpu_stats: before } = await one(id);
    const used = now.cpu_usage.total_usage - before.cpu_usage.total_usage;
    return (used / (now.system_cpu_usage! - before.system_cpu_usage!)) * now.online_cpus!;
  }
});

const NO_CPU = {
  cpu_usage: { total_usage: 0, usage_in_kernelmode: 0, usage_in_usermode: 0 },
  throttling_data: { periods: 0, throttled_periods: 0, throttled_time: 0 },
};

/** A stream of records, read one by one. */
class Stream {
  readonly #connection: RawConnection;
  readonly #chunks: AsyncGenerator<Buffer>;
  #text = "";

  private constructor(
    connection: RawConnection,
    readonly head: string,
  ) {
    this.#connection = connection;
    this.#chunks = connection.chunks();
  }

  static async open(socketPath: string, target: string, isRead = true): Promise<Stream> {
    const connection = await RawConnection.open(socketPath);
    connection.send(encodeRequest({ target }));
    if (!isRead) {
      connection.pause();
      return new Stream(connection, "");
    }
    const { status, headers } = await connection.head();
    expect(status).toBe(200);
    return new Stream(connection, headers.map(([name]) => name).join("\n"));
  }

  async next(): Promise<Record> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        if (line.trim() !== "") return JSON.parse(line) as Record;
        continue;
      }
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error("the stream has ended");
      this.#text += value.toString();
    }
  }

  async until(holds: (record: Record) => boolean): Promise<Record> {
    for (;;) {
      const record = await this.next();
      if (holds(record)) return record;
    }
  }

  async ended(): Promise<void> {
    while (!(await this.#chunks.next()).done);
    this.close();
  }

  close(): void {
    this.#connection.close();
  }
}
