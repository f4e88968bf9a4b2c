// Containers that wait until a test lets them go on: what they do then comes neither before the test is ready, however busy
// the machine is, nor later than it has to.
import { until } from "./commands.js";
import type { EngineClient, Json } from "./engine-client.js";
import { tarOf } from "./images.js";

/** A command of a shell: it ends once the test says so, and takes that word away. */
export const WAITS = "until rm /go 2>/dev/null; do sleep 0.05; done";

/** The reference had made it, and had not yet given it its owner, when the container took it away: it was quick. */
const IS_TAKEN = /lchown \/go: no such file or directory/;

/** Lets a container go on that waits. */
export async function goOn(engine: EngineClient, id: string): Promise<void> {
  const headers = { "Content-Type": "application/x-tar" };
  const path = `/containers/${id}/archive?path=/`;
  const { status, text } = await engine.call("PUT", path, await tarOf([{ name: "go" }]), { headers });
  if (status !== 200 && !IS_TAKEN.test(text)) throw new Error(`the word to go on: ${status} ${text}`);
}

/**
 * A container that has said these lines one after the other, by a command each, and has ended. The next one comes once the
 * last one is in the log: nobody knows which of two pipes was written to first, if both have something in them.
 */
export async function saidInTurn(
  engine: EngineClient,
  commands: readonly string[],
  config: Json = {},
): Promise<string> {
  const id = await engine.create({ Cmd: ["sh", "-c", commands.join(`; ${WAITS}; `)], ...config });
  await engine.start(id);
  for (let count = 1; count < commands.length; count += 1) {
    await until(`what ${commands[count - 1]} says`, async () => (await linesOf(engine, id)) === count);
    await goOn(engine, id);
  }
  await engine.wait(id);
  return id;
}

async function linesOf(engine: EngineClient, id: string): Promise<number> {
  const { stdout, stderr } = await engine.logs(id);
  return `${stdout}${stderr}`.split("\n").length - 1;
}
