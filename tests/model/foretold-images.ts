// The allowed statuses of answers to requests about images. The texts say what is wrong; null if nothing is.

import type { Answer, Known, Open } from "./known.js";
import { withTag } from "./request.js";

export function judgeImage(known: Known, { read, since }: Open, { status }: Answer): string | null {
  const name = withTag(read.ref);
  if (read.ref === "" || !/^[a-z-]+:[a-z]+$/.test(name) || known.failedAt >= since) return null;
  const there = known.images.during(name, since);
  if (read.verb === "inspect") {
    if (status === 200) return there.has(true) ? null : "it is not there";
    return status === 404 && !there.has(false) ? "it is there" : null;
  }
  if (read.verb === "remove" && status === 200) return judgeUse(known, name, since);
  return null;
}

function judgeUse(known: Known, name: string, since: number): string | null {
  if (known.images.areShared) return null;
  const user = known.containers.find((one) => one.wish.image === name && one.id !== null && one.isCertain(since));
  return user === undefined ? null : `${user.id} uses it`;
}
