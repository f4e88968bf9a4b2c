// The images that a new engine has from the start.

import { bodyOf } from "../body-form.js";
import type { Door } from "../door.js";
import type { replies } from "../host.js";
import { BrokenOff } from "./failures.js";

/** Loads them one after the other, by the same door as everybody. Rejects with `BrokenOff` when the engine crashes. */
export async function loadFirstImages(archives: readonly Uint8Array[], door: Door): Promise<void> {
  for (const archive of archives) {
    const { status, text } = await load(archive, door);
    if (status !== 200 || text.includes('"errorDetail"')) throw new Error(`a first image cannot be loaded: ${text}`);
  }
}

/** Not by `fetch`: how soon a platform has read a `Response` must not show in a world that is stepped through. */
function load(archive: Uint8Array, door: Door): Promise<{ status: number; text: string }> {
  const id = door.nextRequest();
  const decoder = new TextDecoder();
  let status = 0;
  let text = "";
  return new Promise((resolve, reject) => {
    const over = (): void => {
      door.replies.remove(id);
      door.bodies.forget(id);
      resolve({ status, text: text.trim() });
    };
    const perform = (command: replies.ReplyCommand): void => {
      if (command.tag === "open") status = command.val.status;
      else if (command.tag === "chunk") {
        text += decoder.decode(command.val, { stream: true });
        door.deliver({ tag: "drained", val: { request: id, bytes: command.val.length } });
      } else if (command.tag === "whole") {
        [status, text] = [command.val.head.status, decoder.decode(command.val.body)];
        over();
      } else if (command.tag === "end") over();
      else reject(new BrokenOff());
    };
    door.replies.add(id, { perform });
    door.bodies.offer(id, bodyOf(archive));
    const headers = "content-type: application/x-tar";
    const what = { method: "POST", target: "/images/load?quiet=1", headers, body: { tag: "stream" } as const };
    door.deliver({ tag: "request", val: { id, listener: "internal", ...what } });
  });
}
