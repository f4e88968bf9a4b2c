// Concurrency: requests about one container run at the same time, and the answers must fit some order of them.
import { expect, test } from "vitest";
import { onEngines } from "../support/on-engines.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

onEngines("at once", (engine, kind) => {
  test("of ten creates with one name, one wins", async () => {
    const answers = await all(10, () => engine().call("POST", "/containers/create?name=wanted", { Image: "busybox" }));
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
    await engine().remove("wanted");
  });

  test("of ten starts, one starts and the others find it running", async () => {
    const id = await engine().create({ Cmd: ["sleep", "1000"] });
    const answers = await all(10, () => engine().call("POST", `/containers/${id}/start`));
    const statuses = answers.map((answer) => answer.status).sort();
    // The reference checks whether the container runs before it waits for its turn, so several requests may get 204.
    const started = kind === "reference" ? statuses.filter((status) => status === 204).length : 1;
    expect(statuses).toEqual([...Array<number>(started).fill(204), ...Array<number>(10 - started).fill(304)]);
    expect(started).toBeGreaterThan(0);
    await engine().remove(id);
  });

  test("stops and kills together end in one exit", async () => {
    const id = await engine().running();
    const answers = await all(6, (index) => {
      const path = index % 2 === 0 ? "stop?t=0" : "kill";
      return engine().call("POST", `/containers/${id}/${path}`);
    });
    for (const answer of answers) expect([204, 304, 409]).toContain(answer.status);
    expect(await engine().inspect(id)).toMatchObject({ State: { Status: "exited", ExitCode: 137 } });
    await engine().remove(id);
  });

  test("of ten removals, one removes", async () => {
    const id = await engine().running();
    const answers = await all(10, () => engine().call("DELETE", `/containers/${id}?force=1`));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses).toContain(204);
    for (const status of statuses) expect([204, 404, 409]).toContain(status);
    expect((await engine().call("GET", `/containers/${id}/json`)).status).toBe(404);
  });

  test("a start right after a stop, and a stop right after a start", async () => {
    const id = await engine().running();
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([
        engine().call("POST", `/containers/${id}/stop?t=0`),
        engine().call("POST", `/containers/${id}/start`),
      ]);
    }
    await engine().call("POST", `/containers/${id}/start`);
    expect(await engine().inspect(id)).toMatchObject({ State: { Status: "running" } });
    await engine().remove(id);
  });

  test("twenty containers run side by side, each with its own output and code", async () => {
    const count = kind === "reference" ? 5 : 20;
    const ended = await all(count, (index) => engine().run({ Cmd: ["sh", "-c", `echo ${index}; exit ${index}`] }));
    expect(ended.map(({ stdout, code }) => [stdout, code])).toEqual(
      Array.from({ length: count }, (_, index) => [`${index}\n`, index]),
    );
  });

  test("lists and inspects while containers come and go", async () => {
    let going = true;
    const watching = (async () => {
      while (going) {
        for (const { Id } of await engine().read<{ Id: string }[]>("/containers/json?all=1")) {
          expect([200, 404]).toContain((await engine().call("GET", `/containers/${Id}/json`)).status);
        }
      }
    })();
    await all(6, () => engine().run({ Cmd: ["true"] }));
    going = false;
    await watching;
  });

  test("a client that does not read a log delays no one else", async () => {
    const id = await engine().create({ Cmd: ["sh", "-c", "yes 0123456789012345678901234567890 | head -n 300000"] });
    await engine().start(id);
    const idle = await RawConnection.open(engine().socketPath);
    idle.pause();
    idle.send(encodeRequest({ target: `/v1.41/containers/${id}/logs?stdout=1&follow=1` }));
    expect(await engine().wait(id)).toBe(0);
    expect((await engine().logs(id, "stdout=1")).stdout.length).toBe(300_000 * 32);
    idle.close();
    await engine().remove(id);
  });
});

function all<T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => act(index)));
}
