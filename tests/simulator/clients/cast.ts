// The names of the containers in a story. Most stories have only four, which occur over and over. Some have a crowd,
// so that lists, prefixes, filters and prunes have many to choose from.

import { Draw } from "../random.js";

/** The names in all stories. */
export const NAMES: readonly string[] = ["anna", "bert", "cleo", "dora"];
/** Names that are also possible prefixes of ids. A name takes precedence over a prefix. */
const LIKE_IDS: readonly string[] = ["ad", "be", "c0", "da", "e1", "fa", "07", "42"];

const CROWD_ONCE_IN = 12;
const FEWEST = 12;
const MOST = 40;

export class Cast {
  readonly names: readonly string[];
  /** Names that lines have created and not removed with force. */
  readonly #made = new Set<string>();

  constructor(seed: number) {
    const draw = new Draw(seed, "cast");
    this.names = draw.onceIn(CROWD_ONCE_IN) ? crowd(FEWEST + draw.below(MOST - FEWEST + 1)) : NAMES;
  }

  get isCrowd(): boolean {
    return this.names.length > NAMES.length;
  }

  /** The names that a line may use. In a crowd, only containers that were created are used. */
  get known(): readonly string[] {
    return this.isCrowd && this.#made.size > 0 ? [...this.#made] : this.names;
  }

  /** The name of the next container to create. `known`: the name that another command would use. */
  newcomer(draw: Draw, known: string): string {
    return this.isCrowd ? draw.one(this.names) : known;
  }

  /** Takes note of a client's line. */
  heard(line: string): void {
    const [verb = "", name = "", query = ""] = line.split(" ");
    if (verb === "create") this.#made.add(name);
    if (verb === "remove" && query.includes("force")) this.#made.delete(name.replace(/^#|:\d+$/g, ""));
  }
}

/** `anna`, `bert`… `ad`, `be`… `anna12`, `bert13`…: some are prefixes of others. */
function crowd(size: number): string[] {
  const first = [...NAMES, ...LIKE_IDS];
  const more = Array.from(
    { length: size - first.length },
    (_, at) => `${NAMES[at % NAMES.length]}${first.length + at}`,
  );
  return [...first, ...more];
}
