// Pause and unpause: what stops, what clients see, and which operations a paused container allows.
import { expect, test } from "vitest";
import { until } from "../support/commands.js";
import { messageOf } from "../support/engine-client.js";
import { onEngines } from "../support/on-engines.js";
import { pastOf, short, stamp } from "../support/past-events.js";

const TICKING = { Cmd: ["sh", "-c", "trap 'exit 7' TERM; while :; do echo tick; sleep 0.05; done"] };

onEngines("pause", (engine) => {
  test("a paused container stops, and continues where it was", async () => {
    const since = await stamp(engine());
    const id = await engine().running({ ...TICKING, StopSignal: "SIGTERM" });
    await engine().must(204, "POST", `/containers/${id}/pause`);
    expect(await state(id)).toMatchObject({ Status: "paused", Running: true, Paused: true });
    // Its last output may still be on its way to the log. It is silent if a running container next to it writes on and
    // it does not.
    const beside = await engine().running(TICKING);
    const said = async (one: string) => (await engine().logs(one)).stdout;
    const before = await until("it to stand still", async () => {
      const [silent, { length }] = [await said(id), await said(beside)];
      await until("six more ticks beside it", async () => (await said(beside)).length >= length + 6 * "tick\n".length);
      return (await said(id)) === silent && { said: silent };
    });
    await engine().remove(beside);
    const [listed] = await engine().read<{ Id: string; State: string; Status: string }[]>(
      `/containers/json?filters=${encodeURIComponent(JSON.stringify({ status: ["paused"], id: [id] }))}`,
    );
    expect(listed).toMatchObject({ Id: id, State: "paused" });
    expect(listed?.Status).toMatch(/^Up .* \(Paused\)$/);
    await engine().must(204, "POST", `/containers/${id}/unpause`);
    expect(await state(id)).toMatchObject({ Status: "running", Paused: false });
    await expect.poll(async () => (await engine().logs(id)).stdout.length).toBeGreaterThan(before.said.length);
    const words = (await pastOf(engine(), id, since, 4)).map(short).filter((word) => word.startsWith("container"));
    expect(words).toEqual(["container create", "container start", "container pause", "container unpause"]);
    await engine().remove(id);
  });

  test("a container that is not running, already paused, or not paused is refused", async () => {
    const id = await engine().create({ Cmd: ["sleep", "1000"] });
    const [ours, theirs] = [`container ${id}`, `Container ${id}`];
    const texts = (text: string): string => engine().expected("state-texts", `${ours} ${text}`, `${theirs} ${text}`);
    expect(await refusal(id, "pause")).toEqual([409, texts("is not running")]);
    expect(await refusal(id, "unpause")).toEqual([500, `${theirs} is not paused`]);
    await engine().start(id);
    expect(await refusal(id, "unpause")).toEqual([500, `${theirs} is not paused`]);
    await engine().must(204, "POST", `/containers/${id}/pause`);
    expect(await refusal(id, "pause")).toEqual([409, texts("is already paused")]);
    expect(await refusal(id, "start")).toEqual([409, "cannot start a paused container, try unpause instead"]);
    expect(await refusal("nobody", "pause")).toEqual([404, "No such container: nobody"]);
    expect(await refusal("nobody", "unpause")).toEqual([404, "No such container: nobody"]);
    await engine().remove(id);
  });

  test("stop thaws it, and the signal ends it", async () => {
    const id = await engine().running({ ...TICKING, StopSignal: "SIGTERM" });
    // From then on the init no longer ignores the signal.
    await expect.poll(async () => (await engine().logs(id)).stdout).toContain("tick");
    await engine().must(204, "POST", `/containers/${id}/pause`);
    await engine().must(204, "POST", `/containers/${id}/stop?t=20`);
    expect(await state(id)).toMatchObject({ Status: "exited", Running: false, Paused: false, ExitCode: 7 });
    await engine().remove(id);
  });

  test("kill ends it, and forced removal removes it", async () => {
    const id = await engine().running();
    await engine().must(204, "POST", `/containers/${id}/pause`);
    await engine().must(204, "POST", `/containers/${id}/kill`);
    expect(await state(id)).toMatchObject({ Status: "exited", ExitCode: 137 });
    await engine().start(id);
    await engine().must(204, "POST", `/containers/${id}/pause`);
    const refused = await engine().call("DELETE", `/containers/${id}`);
    expect(refused.status).toBe(409);
    expect(messageOf(refused)).toBe(
      engine().expected(
        "remove-texts",
        `cannot remove container "${id}": container is paused and must be unpaused first`,
        `You cannot remove a paused container ${id}. Unpause and then stop the container before attempting removal ` +
          "or force remove",
      ),
    );
    await engine().remove(id);
  });

  test("many at once: one pauses it, the others learn that it is paused", async () => {
    const id = await engine().running();
    const pauses = await Promise.all([1, 2, 3, 4].map(() => engine().call("POST", `/containers/${id}/pause`)));
    expect(pauses.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409]);
    const thaws = await Promise.all([1, 2, 3].map(() => engine().call("POST", `/containers/${id}/unpause`)));
    expect(thaws.map(({ status }) => status).sort()).toEqual([204, 500, 500]);
    expect(await state(id)).toMatchObject({ Status: "running" });
    await engine().remove(id);
  });

  test("a signal thaws it with an event; SIGKILL has no such event", async () => {
    const words = async (verb: string): Promise<string[]> => {
      const id = await engine().running({ Cmd: ["sleep", "1000"], StopSignal: "SIGTERM" });
      await engine().must(204, "POST", `/containers/${id}/pause`);
      const since = await stamp(engine());
      await engine().must(204, "POST", `/containers/${id}/${verb}`);
      await engine().wait(id);
      const told = (await pastOf(engine(), id, since)).filter((event) => event.Type === "container");
      await engine().remove(id);
      return told.map((event) => event.Action);
    };
    expect(await words("stop?t=1")).toEqual(["kill", "unpause", "kill", "die", "stop"]);
    expect(await words("kill")).toEqual(["kill", "die"]);
  });

  async function refusal(id: string, verb: string): Promise<[number, string]> {
    const answer = await engine().call("POST", `/containers/${id}/${verb}`);
    return [answer.status, messageOf(answer)];
  }

  async function state(id: string): Promise<Record<string, unknown>> {
    return (await engine().inspect<{ State: Record<string, unknown> }>(id)).State;
  }
});
