// Which lines of a log a client gets: by stream, time and number, for each driver that supports reading.
import { expect, test } from "vitest";
import { frames, splitFrames } from "../support/frames.js";
import { until } from "../support/commands.js";
import { goOn, saidInTurn, WAITS } from "../support/gate.js";
import { messageOf, type Json } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";
import { encodeRequest, RawConnection } from "../support/raw-http.js";

/** Ten lines, alternating between the streams: 1 e1 2 e2 3 e3 4 e4 5 e5. */
const SAYS = [1, 2, 3, 4, 5].flatMap((number) => [`echo ${number}`, `echo e${number} >&2`]);
const ALL = "1 e1 2 e2 3 e3 4 e4 5 e5";
const OUT = "1 2 3 4 5";
const BOTH = "stdout=1&stderr=1";

/** `@4`: the time of the line at index 4, counted from 0, in nanoseconds. */
const CASES: readonly [query: string, expected: string][] = [
  [BOTH, ALL],
  ["stdout=true&stderr=no", OUT],
  ["stdout=yes&stderr=False", OUT],
  ["stderr=1&stdout=0", "e1 e2 e3 e4 e5"],
  [`${BOTH}&tail=0`, ""],
  [`${BOTH}&tail=3`, "e4 5 e5"],
  // tail counts the lines of both streams.
  ["stdout=1&tail=2", "5"],
  ["stdout=1&tail=02", "5"],
  ["stdout=1&tail=-1", OUT],
  ["stdout=1&tail=1.5", OUT],
  ["stdout=1&tail=0x2", OUT],
  ["stdout=1&tail=ALL", OUT],
  ["stdout=1&tail=99999999999999999999", OUT],
  [`${BOTH}&since=@4`, "3 e3 4 e4 5 e5"],
  [`${BOTH}&until=@4`, "1 e1 2 e2 3"],
  [`${BOTH}&since=@3&until=@5`, "e2 3 e3"],
  [`${BOTH}&since=@3&tail=100`, "e2 3 e3 4 e4 5 e5"],
  [`${BOTH}&since=@3&tail=2`, "5 e5"],
  [`${BOTH}&until=@4&tail=0`, ""],
  ["stdout=1&since=0", OUT],
  ["stdout=1&since=", OUT],
  ["stdout=1&since=-1", OUT],
  ["stdout=1&since=1.123456789123", OUT],
  ["stdout=1&since=99999999999", ""],
  ["stdout=1&until=", OUT],
  ["stdout=1&until=0", OUT],
  ["stdout=1&until=0.0", ""],
  ["stdout=1&until=1", ""],
  ["stdout=1&until=-1", ""],
  ["stdout=1&until=99999999999", OUT],
  ["stdout=1&follow=1&tail=2", "5"],
  [`${BOTH}&follow=1&since=@7&until=@8`, "e4 5"],
];

const BAD_TIMES = ["10m", "2020-01-01T00:00:00Z", "1e3", "1.x", ".5", "99999999999999999999"];

onEngines("selected lines", (engine) => {
  test.each(["json-file", "local"])("of %s", async (Type) => {
    const id = await written({ HostConfig: { LogConfig: { Type } } });
    const stamps = await stampsOf(id);
    for (const [query, expected] of CASES) {
      expect([query, await lines(id, filled(query, stamps))]).toEqual([query, expected]);
    }
    // The last two lines up to a time, or the last two of all, which are later.
    const tail = engine().expected("logs-tail", "2 e2", "");
    expect(await lines(id, filled(`${BOTH}&until=@3&tail=2`, stamps))).toBe(tail);
    await engine().remove(id);
  });

  test("the last line is complete even if it began before lines of the other stream", async () => {
    const script = `echo zero; printf fo; ${WAITS}; echo two >&2; echo three >&2; ${WAITS}; echo ur`;
    const id = await engine().create({ Cmd: ["sh", "-c", script] });
    const shown = await RawConnection.open(engine().socketPath);
    const target = `/v1.41/containers/${id}/attach?stream=1&stdout=1`;
    shown.send(encodeRequest({ method: "POST", target, headers: { Connection: "Upgrade", Upgrade: "tcp" } }));
    expect((await shown.head()).status).toBe(101);
    await engine().start(id);
    // An incomplete line is not in the log yet, but the engine has it.
    await shown.untilText("fo");
    await goOn(engine(), id);
    await until("the others", async () => (await engine().logs(id)).stderr === "two\nthree\n");
    await goOn(engine(), id);
    await engine().wait(id);
    shown.close();
    const tails = [1, 2, 3].map((tail) => lines(id, `${BOTH}&tail=${tail}`));
    expect(await Promise.all(tails)).toEqual(["four", "three four", "two three four"]);
    await engine().remove(id);
  });

  test("times are seconds since 1970 only", async () => {
    const id = await written({});
    for (const name of ["since", "until"])
      for (const time of BAD_TIMES) {
        const answer = await engine().call("GET", `/containers/${id}/logs?stdout=1&${name}=${time}`);
        const text = engine().expected("logs-since", `invalid value for "${name}": ${time}`, "strconv.ParseInt: ");
        expect([time, answer.status]).toEqual([time, engine().expected("logs-since", 400, 500)]);
        expect(messageOf(answer).slice(0, text.length)).toBe(text);
      }
    await engine().remove(id);
  });

  test("an empty selection is empty", async () => {
    const id = await engine().create({ Cmd: ["echo", "1"], HostConfig: { LogConfig: { Type: "none" } } });
    await engine().start(id);
    await engine().wait(id);
    const answer = await engine().call("GET", `/containers/${id}/logs?stdout=1&tail=1&since=nonsense`);
    expect([answer.status, messageOf(answer)]).toEqual([501, "configured logging driver does not support reading"]);
    await engine().remove(id);
  });

  test("a follower up to a future time gets only what is written before it", async () => {
    const id = await engine().running({ Cmd: ["sh", "-c", "while :; do echo x; sleep 0.1; done"] });
    const began = Date.now();
    const end = (began / 1000 + 1.5).toFixed(3);
    const { status, body } = await engine().call("GET", `/containers/${id}/logs?stdout=1&follow=1&until=${end}`);
    expect(status).toBe(200);
    expect(Date.now() - began).toBeGreaterThanOrEqual(1400);
    expect(frames(body).stdout).toMatch(/^(x\n)+$/);
    await engine().remove(id);
  });

  async function written(config: Json): Promise<string> {
    return saidInTurn(engine(), SAYS, config);
  }

  /** The times of all lines, in seconds. */
  async function stampsOf(id: string): Promise<string[]> {
    const { body } = await engine().must(200, "GET", `/containers/${id}/logs?${BOTH}&timestamps=1`);
    return splitFrames(body).map(({ payload }) => {
      const [seconds = "", fraction = ""] = (payload.toString().split("Z ")[0] ?? "").split(".");
      return `${Date.parse(`${seconds}Z`) / 1000}.${fraction}`;
    });
  }

  async function lines(id: string, query: string): Promise<string> {
    const { body } = await engine().must(200, "GET", `/containers/${id}/logs?${query}`);
    return splitFrames(body)
      .map(({ payload }) => payload.toString().trim())
      .join(" ");
  }
});

function filled(query: string, stamps: readonly string[]): string {
  return query.replaceAll(/@(\d)/g, (_, place: string) => stamps[Number(place)] ?? "");
}
