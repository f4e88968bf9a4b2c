// Where registries have the first parts of layers that are being sent, as notes beside the layers on the disk. They are
// there while a layer is sent, so they survive the engine's death, and stay if the connection breaks.

import type { Begun, UploadNote, content } from "../../shared/index.js";

/** This many notes are kept: the newest. Registries keep no more uploads. */
const MOST_NOTES = 64;

/** The note of one upload. */
export interface BegunUpload extends UploadNote {
  reached(begun: Begun): Promise<void>;
  broke(begun: Begun): Promise<void>;
  /** The upload is over. The note stays if another one may go on. */
  end(): void;
}

export class BegunUploads {
  /** By chain and repository, oldest first. */
  readonly #notes = new Map<string, Begun>();
  readonly #underWay = new Set<string>();

  /** The caller ends it. A second upload of a layer to the same repository at the same time has no note. */
  begin({ chain, to }: content.Upload): BegunUpload {
    const what = JSON.stringify([chain, to.endpoint.authority, to.repository]);
    if (this.#underWay.has(what)) return NONE;
    this.#underWay.add(what);
    let mayGoOn = false;
    const reached = async (begun: Begun): Promise<void> => this.#keep(what, begun);
    return {
      get mayGoOn() {
        return mayGoOn;
      },
      read: () => this.#notes.get(what),
      reached,
      broke: (begun) => {
        mayGoOn = true;
        return reached(begun);
      },
      end: () => {
        this.#underWay.delete(what);
        if (!mayGoOn) this.#notes.delete(what);
      },
    };
  }

  /** The layer is dropped. */
  forget(chain: string): void {
    for (const what of this.#notes.keys()) if (what.startsWith(`["${chain}"`)) this.#notes.delete(what);
  }

  #keep(what: string, begun: Begun): void {
    this.#notes.delete(what);
    this.#notes.set(what, begun);
    const [oldest] = this.#notes.keys();
    if (oldest !== undefined && this.#notes.size > MOST_NOTES) this.#notes.delete(oldest);
  }
}

const NONE: BegunUpload = {
  mayGoOn: false,
  read: () => undefined,
  reached: async () => {},
  broke: async () => {},
  end: () => {},
};
