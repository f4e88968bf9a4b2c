// Whom a story's lines are about, by name. Most stories have four, of whom each is met again and again; some have a
// crowd, so that lists, prefixes, filters and prunes have many to choose from.

import { Draw } from "../random.js";

/** The names that all stories have. */
export const NAMES: readonly string[] = ["anna", "bert", "cleo", "dora"];
/** Ids may begin so, too: who is called so is meant first. */
const LIKE_IDS: readonly string[] = ["ad", "be", "c0", "da", "e1", "fa", "07", "42"];

const CROWD_ONCE_IN = 12;
const FEWEST = 12;
const MOST = 40;

export class Cast {
  readonly names: readonly string[];
  /** Whom lines have asked to make, and not to remove by force. */
  readonly #made = new Set<string>();

  constructor(seed: number) {
    const draw = new Draw(seed, "cast");
    this.names = draw.onceIn(CROWD_ONCE_IN) ? crowd(FEWEST + draw.below(MOST - FEWEST + 1)) : NAMES;
  }

  get isCrowd(): boolean {
    return this.names.length > NAMES.length;
  }

  /** Those whom a line may be about. Nobody in a crowd is looked for who was never there. */
  get known(): readonly string[] {
    return this.isCrowd && this.#made.size > 0 ? [...this.#made] : this.names;
  }

  /** Who is made next; `known`: whom others would ask about. */
  newcomer(draw: Draw, known: string): string {
    return this.isCrowd ? draw.one(this.names) : known;
  }

  /** Of a client. */
  heard(line: string): void {
    const [verb = "", name = "", query = ""] = line.split(" ");
    if (verb === "create") this.#made.add(name);
    if (verb === "remove" && query.includes("force")) this.#made.delete(name.replace(/^#|:\d+$/g, ""));
  }
}

/** `anna`, `bert`… `ad`, `be`… `anna12`, `bert13`…: some are the beginning of others. */
function crowd(size: number): string[] {
  const first = [...NAMES, ...LIKE_IDS];
  const more = Array.from(
    { length: size - first.length },
    (_, at) => `${NAMES[at % NAMES.length]}${first.length + at}`,
  );
  return [...first, ...more];
}
