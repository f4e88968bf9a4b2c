// A client of FileSync that does as it is told, and what becomes of its files.

import { receivedFiles } from "../../hosts/buildkit/files/received-files.js";
import type { Conversation } from "../../hosts/buildkit/conversation.js";
import { decode, encode, type Fields } from "../../hosts/buildkit/messages/codec.js";
import { packet } from "../../hosts/buildkit/messages/files.js";
import type { SentBefore } from "../../hosts/shared/index.js";
import { TarReader, UNLIMITED, type TarEntry } from "../../hosts/streams/tar/index.js";

export const WANTED = { name: "context", include: [], exclude: ["*.log", "ä b"], follow: [] };
const [STAT, REQUEST, DATA, FINISHED, BROKEN] = [0, 1, 2, 3, 4];

export interface Scripted extends Conversation {
  /** Ids of files, as they were asked for at once. */
  asked: number[][];
  headers: Readonly<Record<string, readonly string[]>>;
}

/** A client with these files. `order`: in which the asked files are answered; by default that of the requests. */
export function client(
  stats: readonly Fields[],
  bytes: Readonly<Record<number, readonly string[]>>,
  order: readonly number[] = [],
  failure = "",
): Scripted {
  const requests: number[] = [];
  const together: number[][] = [];
  let finished = false;
  return {
    asked: together,
    headers: {},
    cancel: () => {},
    send: async (message) => {
      const { type, ID = 0 } = decode(packet, message) as { type?: number; ID?: number };
      if (type === REQUEST) requests.push(ID);
      if (type === FINISHED) finished = true;
    },
    finish: () => {},
    messages: (async function* () {
      if (failure !== "") yield encode(packet, { type: BROKEN, data: new TextEncoder().encode(failure) });
      for (const stat of stats) yield encode(packet, { type: STAT, stat });
      yield encode(packet, { type: STAT });
      while (!finished) {
        const asked = requests.splice(0);
        if (asked.length > 0) together.push(asked);
        asked.sort((a, b) => order.indexOf(a) - order.indexOf(b));
        for (const ID of asked) {
          for (const piece of bytes[ID] ?? [])
            yield encode(packet, { type: DATA, ID, data: new TextEncoder().encode(piece) });
          yield encode(packet, { type: DATA, ID });
        }
      }
      yield encode(packet, { type: FINISHED });
    })(),
  };
}

export async function received(
  one: Scripted,
  before: SentBefore | null = null,
): Promise<{ entry: TarEntry; bytes: string }[]> {
  const made: { entry: TarEntry; bytes: string }[] = [];
  const reader = new TarReader({
    limits: UNLIMITED,
    entry: (entry) => void made.push({ entry, bytes: "" }),
    data: (piece) => void (made.at(-1)!.bytes += new TextDecoder().decode(piece)),
    hole: () => {},
    end: () => {},
  });
  const caller = (_path: string, headers: Scripted["headers"]): Conversation => Object.assign(one, { headers });
  for await (const piece of receivedFiles(caller, WANTED, before)) await reader.push(piece);
  reader.end();
  return made;
}
