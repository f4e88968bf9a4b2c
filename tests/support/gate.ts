// Containers that wait for a signal from the test, so that they do nothing before the test is ready, however busy the
// machine is, and nothing later than needed.
import { until } from "./commands.js";
import type { EngineClient, Json } from "./engine-client.js";
import { tarOf } from "./archives/images.js";

/** A shell command that ends once the test has created the file /go, which it removes. */
export const WAITS = "until rm /go 2>/dev/null; do sleep 0.05; done";

/** The reference had created the file but not set its owner when the container removed it. */
const IS_TAKEN = /lchown \/go: no such file or directory/;

/** Lets a waiting container continue. */
export async function goOn(engine: EngineClient, id: string): Promise<void> {
  const headers = { "Content-Type": "application/x-tar" };
  const path = `/containers/${id}/archive?path=/`;
  const { status, text } = await engine.call("PUT", path, await tarOf([{ name: "go" }]), { headers });
  if (status !== 200 && !IS_TAKEN.test(text)) throw new Error(`the word to go on: ${status} ${text}`);
}

/**
 * Runs a container that prints these lines in order, one command each, and then ends. Each line is printed after the
 * previous one is in the log: if both pipes have data, their order is unknown.
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
