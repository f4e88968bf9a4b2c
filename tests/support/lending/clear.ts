// Clears away what tests made in an engine, by the engine's own requests.
import type { EngineClient, Json } from "../engine-client.js";

/** An image goes after those that were made from it: at most so many lie one upon another. */
const ROUNDS = 8;
const NOT_BUILT = 501;

/** False: what is left or gone cannot be helped by requests. `kept`: images, by id and names (loan.ts). */
export async function clear(client: EngineClient, kept: readonly string[]): Promise<boolean> {
  const containers = await client.read<Json[]>("/containers/json?all=1");
  await Promise.all(containers.map(({ Id }) => client.call("DELETE", `/containers/${String(Id)}?force=1&v=1`)));
  for (let round = 0; round < ROUNDS; round++) {
    const extra = await extraImages(client, kept);
    if (extra.length === 0) break;
    for (const image of extra) await client.call("DELETE", `/images/${encodeURIComponent(image)}?force=1`);
  }
  // At 1.41 volumes with names go, too.
  const answers = [await client.call("POST", "/volumes/prune"), await client.call("POST", "/networks/prune")];
  return answers.every(({ status }) => status !== NOT_BUILT) && (await hasAll(client, kept));
}

/** Not when a test has given the name of a kept image to another. */
async function hasAll(client: EngineClient, kept: readonly string[]): Promise<boolean> {
  const images = await client.read<{ Id: string }[]>("/images/json?all=1");
  return kept.every((line) => images.some(({ Id }) => line.startsWith(Id)));
}

/** Names that `kept` does not have, and ids of what has no other name. */
async function extraImages(client: EngineClient, kept: readonly string[]): Promise<string[]> {
  const images = await client.read<{ Id: string; RepoTags: string[] | null }[]>("/images/json?all=1");
  const words = new Set(kept.flatMap((line) => line.split(" ")));
  return images.flatMap(({ Id, RepoTags }) => {
    const names = (RepoTags ?? []).filter((name) => name !== "<none>:<none>");
    if (names.length === 0) return [Id];
    return names.filter((name) => !words.has(name));
  });
}
