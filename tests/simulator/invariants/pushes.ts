// Checks that what a client was told to be pushed is in the registry, whole: the manifest, the config and every layer.

import { digestLike } from "../../../hosts/registry/digest.js";
import type { Repository } from "../../../hosts/simulated/registry/catalogue.js";
import type { Asked, Oracle } from "../oracle.js";
import { TAKER } from "../worlds/taker.js";

const PUSH = new RegExp(`/images/${TAKER.replace(".", "\\.")}/([^?]+)/push`);

interface Manifest {
  config: { digest: string; size: number };
  layers: { digest: string; size: number }[];
}

export class Pushes implements Oracle {
  readonly #has: (path: string) => Repository | undefined;

  /** `has`: the registry's repositories. */
  constructor(has: (path: string) => Repository | undefined) {
    this.#has = has;
  }

  told({ target }: Asked, piece: string): string | null {
    const path = PUSH.exec(target)?.[1];
    if (path === undefined) return null;
    for (const [, digest = ""] of piece.matchAll(/"Digest":"([^"]+)"/g)) {
      const missing = missingIn(this.#has(path), digest);
      if (missing !== null) return `${target} was told to be pushed as ${digest}, but the registry ${missing}`;
    }
    return null;
  }

  asked(): void {}
  answered(): null {
    return null;
  }
  ended(): null {
    return null;
  }
  left(): void {}
  happened(): null {
    return null;
  }
  crashed(): void {}
  forsaken(): void {}
  opened(): null {
    return null;
  }
  rested(): null {
    return null;
  }
}

/** What a repository lacks of an image; null if it has all. */
function missingIn(repository: Repository | undefined, digest: string): string | null {
  const manifest = repository?.manifest(digest);
  if (manifest === undefined) return "has no such manifest";
  const { config, layers } = JSON.parse(new TextDecoder().decode(manifest.bytes)) as Manifest;
  for (const part of [config, ...layers]) {
    const bytes = repository!.blob(part.digest);
    if (bytes === undefined) return `lacks ${part.digest}`;
    if (bytes.length !== part.size || digestLike(part.digest, bytes) !== part.digest)
      return `has other bytes as ${part.digest}`;
  }
  return null;
}
