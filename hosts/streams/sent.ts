// What the client of a session gets of a build, and how much of it has gone out.

import type { Delivery, Report, content } from "../shared/index.js";
import { savedArchive, type LayerTars } from "./tar/index.js";

/** `tar`: of the container's files. */
export function filesSent(
  { form, output }: content.SentFiles,
  tar: AsyncIterable<Uint8Array>,
  report: Report,
): Delivery {
  return { form: form === "files" ? "files" : "bytes", tar: told(tar, report), output };
}

export function imagesSent({ members, output }: content.SentImages, tars: LayerTars, report: Report): Delivery {
  return { form: "bytes", tar: told(savedArchive(members, tars), report), output };
}

/** Bytes between two reports: a tar has a piece for each small file. */
const STEP = 1 << 20;

async function* told(tar: AsyncIterable<Uint8Array>, report: Report): AsyncGenerator<Uint8Array> {
  let done = 0;
  let last = 0;
  for await (const piece of tar) {
    yield piece;
    done += piece.length;
    if (done - last < STEP) continue;
    last = done;
    report("uploading", BigInt(done), 0n);
  }
  report("uploading", BigInt(done), 0n);
}
