// What the client of a session gets of a build, and how much of it has gone out.

import type { Delivery, KeptBlob, Report, content, replies } from "../shared/index.js";
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

/** Blobs for a store of the client. `report` tells the bytes of all of them together. */
export function blobsGiven({ blobs }: content.GivenBlobs, tars: LayerTars, report: Report): KeptBlob[] {
  let before = 0n;
  const counted: Report = (phase, current, total) => report(phase, before + current, total);
  return blobs.map(({ digest, content }) => ({
    digest,
    size: async () => (content.tag === "bytes" ? content.val.length : tars.size(content.val)),
    async *bytes() {
      let done = 0;
      for await (const piece of told(bytesOf(content, tars), counted)) {
        done += piece.length;
        yield piece;
      }
      before += BigInt(done);
    },
  }));
}

async function* bytesOf(content: replies.SavedContent, tars: LayerTars): AsyncGenerator<Uint8Array> {
  if (content.tag === "bytes") yield content.val;
  else yield* tars.tar(content.val);
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
