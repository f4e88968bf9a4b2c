// A story as text: the seed that its world and its mischief are drawn from, then a line for each thing that happens.
// A line of a client begins with the client's name; all others are the world's:
//
//   work 3            the next three events of the world
//   pass 2000         two seconds
//   fault KIND …      something goes wrong from now on (faults.ts)
//   lift KIND         it does no more
//   trick HOW COMMAND TIMES [KIND]
//                     the host plays tricks with commands of that name (worlds/mischief.ts; fails as KIND)
//   hold 8080         a program of the machine holds this port, unless a container has it; until `lift`, which stands alone
//   snatch 2          a program is faster, twice, with the first port that a container is to have
//   read fail records 2
//                     twice the records cannot be read (worlds/reading.ts: what else, and slowly)
//   crash 3 500 2     the engine is killed after its next three outputs, is away for half a second, and is killed once
//                     more after two outputs of its restart (0: not)
//   power-loss 3 500  the power goes, and with it the last three transactions, though the disk has told that they were kept
//   damage container/ torn
//                     the first such record is damaged when it is read next (worlds/disk.ts)
//   damage journal/ lost 12
//                     the journal is, from its twelfth entry on (worlds/damaged-journal.ts)
//   reload 3          the configuration is read again, and is the third (worlds/settings.ts)
//   restart           the engine is closed in an orderly way, and another is opened on the same world
//   reboot 500        the machine restarts, and is up again after half a second
//   suspend 3600 counted
//                     the machine sleeps so many seconds, and its monotonic clock counts them (without the word: does not)
//   clock +3600       the time of day jumps by so many seconds

export interface Story {
  readonly seed: number;
  readonly lines: readonly string[];
}

export function storyText({ seed, lines }: Story, comment = ""): string {
  const head = comment
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `# ${line}\n`);
  return `${head.join("")}seed ${seed}\n${lines.map((line) => `${line}\n`).join("")}`;
}

/** Throws for a text that does not begin with a seed. */
export function readStory(text: string): Story {
  const [first = "", ...lines] = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const seed = /^seed (\d+)$/.exec(first)?.[1];
  if (seed === undefined) throw new Error("a story begins with its seed");
  return { seed: Number(seed), lines };
}
