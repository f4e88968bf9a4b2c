// A story as text: the seed from which its world and its mischief are drawn, then one line for each event. A client's
// line begins with the client's name. All other lines are about the world:
//
//   work 3            the next three events of the world happen
//   pass 2000         two seconds pass
//   fault KIND …      sets a fault (faults.ts)
//   lift KIND         lifts it
//   trick HOW COMMAND TIMES [KIND]
//                     the host plays tricks with commands of that name (worlds/mischief.ts; they fail as KIND)
//   hold 8080         a program of the machine holds this port until a `lift` without a kind, unless a container has it
//   snatch 2          twice, a program takes the first port that a container should get, before the container does
//   read fail records 2
//                     twice the records cannot be read (worlds/reading.ts lists what else can fail or be slow)
//   crash 3 500 2     the engine is killed after its next three outputs, stays down for half a second, and is killed
//                     again after two outputs of its restart (0: is not)
//   power-loss 3 500  the power is cut, and the last three transactions are lost, although the disk had confirmed them
//   damage container/ torn
//                     the first such record is damaged when it is read next (worlds/disk.ts)
//   damage journal/ lost 12
//                     the journal is damaged from its twelfth entry on (worlds/damaged-journal.ts)
//   reload 3          the configuration is reloaded, with the third settings (worlds/settings.ts)
//   restart           the engine is closed properly, and another one is opened in the same world
//   reboot 500        the machine reboots, and is up again after half a second
//   suspend 3600 counted
//                     the machine sleeps for an hour, and its monotonic clock counts that (without `counted` it does not)
//   clock +3600       the time of day jumps by an hour

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

/** Throws if the text does not begin with a seed. */
export function readStory(text: string): Story {
  const [first = "", ...lines] = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const seed = /^seed (\d+)$/.exec(first)?.[1];
  if (seed === undefined) throw new Error("a story begins with its seed");
  return { seed: Number(seed), lines };
}
