// Makes reads slow or fail: of the records, of the journal's end and pages, and of the machine's inventory.

import { HostFailure } from "../../../hosts/shared/failure.js";

const THINGS = ["records", "journal", "page", "inventory"] as const;
/** `page`: a page of the journal, for requests for past events. */
export type Thing = (typeof THINGS)[number];

interface Trick {
  how: "fail" | "slow";
  thing: Thing;
  left: number;
}

export class Reading {
  readonly #slow: () => Promise<void>;
  #tricks: Trick[] = [];
  /** An engine could not read something when it was opened, and no later engine has read everything. */
  isCutShort = false;

  /** `slow` resolves after a long time. */
  constructor(slow: () => Promise<void>) {
    this.#slow = slow;
  }

  /** The words of a line: `fail records 2`. Throws for unknown words. */
  add([how = "", thing = "", times = "1"]: readonly string[]): void {
    const known = THINGS.find((one) => one === thing);
    if ((how !== "fail" && how !== "slow") || known === undefined) throw new Error(`nothing reads so: ${how} ${thing}`);
    this.#tricks.push({ how, thing: known, left: Number(times) });
  }

  lift(): void {
    this.#tricks = [];
  }

  /**
   * Rejects with a `HostFailure` if the read fails. The inventory is the last thing that an engine reads when it
   * opens.
   */
  async of<T>(thing: Thing, read: () => Promise<T>): Promise<T> {
    const how = this.#trickOn(thing);
    if (how === "slow") await this.#slow();
    if (how === "fail") {
      this.isCutShort ||= thing !== "page";
      throw new HostFailure({ tag: "call", val: { call: "read", path: "", inside: false, error: "EIO" } });
    }
    const value = await read();
    if (thing === "inventory") this.isCutShort = false;
    return value;
  }

  #trickOn(thing: Thing): Trick["how"] | null {
    const trick = this.#tricks.find((one) => one.thing === thing);
    if (trick === undefined) return null;
    trick.left -= 1;
    if (trick.left <= 0) this.#tricks = this.#tricks.filter((one) => one !== trick);
    return trick.how;
  }
}
