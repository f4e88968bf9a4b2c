// Removes what tests made in an engine, with the engine's own API.
import type { EngineClient, Json } from "../engine-client.js";

/** An image can be removed only after images made from it. The chain has at most this many levels. */
const ROUNDS = 8;
const NOT_BUILT = 501;

/** False if requests cannot restore the former state. `kept`: images to keep, by id and names (loan.ts). */
export async function clear(client: EngineClient, kept: readonly string[]): Promise<boolean> {
  const containers = await client.read<Json[]>("/containers/json?all=1");
  await Promise.all(containers.map(({ Id }) => client.call("DELETE", `/containers/${String(Id)}?force=1&v=1`)));
  // Builds leave images of steps, which no list shows.
  await client.call("POST", "/build/prune");
  for (let round = 0; round < ROUNDS; round++) {
    const extra = await extraImages(client, kept);
    if (extra.length === 0) break;
    for (const image of extra) await client.call("DELETE", `/images/${encodeURIComponent(image)}?force=1`);
    // Such images may have needed those.
    await client.call("POST", "/build/prune");
  }
  // At 1.41 this also removes named volumes.
  const answers = [await client.call("POST", "/volumes/prune"), await client.call("POST", "/networks/prune")];
  return answers.every(({ status }) => status !== NOT_BUILT) && (await hasAll(client, kept));
}

/** False if a test has given the name of a kept image to another image. */
async function hasAll(client: EngineClient, kept: readonly string[]): Promise<boolean> {
  const images = await client.read<{ Id: string }[]>("/images/json?all=1");
  return kept.every((line) => images.some(({ Id }) => line.startsWith(Id)));
}

/** Names that are not in `kept`, and ids of images without another name. */
async function extraImages(client: EngineClient, kept: readonly string[]): Promise<string[]> {
  const images = await client.read<{ Id: string; RepoTags: string[] | null }[]>("/images/json?all=1");
  const words = new Set(kept.flatMap((line) => line.split(" ")));
  return images.flatMap(({ Id, RepoTags }) => {
    const names = (RepoTags ?? []).filter((name) => name !== "<none>:<none>");
    if (names.length === 0) return [Id];
    return names.filter((name) => !words.has(name));
  });
}
