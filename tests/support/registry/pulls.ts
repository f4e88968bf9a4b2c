// Shared code of tests of pulls: small unique images, and the lines of an answer.
import { LONGEST_MS } from "../commands.js";
import type { EngineClient, Json } from "../engine-client.js";
import { tarOf, type ImageSpec } from "../archives/images.js";
import { digestOf } from "./push-image.js";
import type { RawResponse } from "../raw-http.js";

/** Sends a pull and returns the whole answer, whatever it is. */
export function askPull(engine: EngineClient, query: string, timeoutMs = LONGEST_MS): Promise<RawResponse> {
  return engine.call("POST", `/images/create?${query}`, undefined, { timeoutMs });
}

/** The lines of a pull that began: each is a JSON object ending in CR LF. */
export async function pullLines(engine: EngineClient, query: string, timeoutMs = LONGEST_MS): Promise<Json[]> {
  return linesOf(await askPull(engine, query, timeoutMs));
}

/** The lines of a stream of progress. */
export function linesOf({ status, text, header }: RawResponse): Json[] {
  if (status !== 200) throw new Error(`progress with ${status}: ${text}`);
  if (header("content-type") !== "application/json") throw new Error(`progress of type ${header("content-type")}`);
  if (!text.endsWith("\r\n")) throw new Error("the last line of a stream of progress does not end in CR LF");
  const lines = text.trimEnd().split("\r\n");
  return lines.map((line) => JSON.parse(line) as Json);
}

/** The id of a layer in progress lines: 12 digits of its blob's digest. */
export function shortId(bytes: Buffer | undefined): string {
  return digestOf(bytes ?? Buffer.alloc(0)).slice(7, 19);
}

let made = 0;

/** An image of small layers that no other test uses. */
export async function smallImage(name: string, count: number, size = 1000): Promise<ImageSpec> {
  made += 1;
  const layers = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const body = Buffer.from(`${name} ${index} ${made} `.repeat(Math.ceil(size / 10)));
      return tarOf([{ name: `${name}-${index}`, body }]);
    }),
  );
  return { reference: null, config: { Cmd: [name, String(made)] }, layers };
}
