// What somebody may have meant who has written a name that there is not.

/** Changed, added or left out letters; with more of them it is another word (as in BuildKit). */
const MOST_CHANGES: i32 = 2;
/** Each comparison takes the product of both lengths. */
const LONGEST: i32 = 32;
const MOST_NAMES: i32 = 200;

/** ` (did you mean $NAME?)`; empty if no name is like it. `sign`: what stands in front of names. */
export function suggestion(written: string, names: string[], sign: string): string {
  let best = "";
  let least = MOST_CHANGES + 1;
  for (let i = 0; i < min(names.length, MOST_NAMES); i++) {
    if (max(written.length, names[i].length) > LONGEST || abs(written.length - names[i].length) >= least) continue;
    const changes = changesBetween(written, names[i]);
    if (changes >= least) continue;
    least = changes;
    best = names[i];
  }
  return best.length == 0 ? "" : ` (did you mean ${sign}${best}?)`;
}

/** Levenshtein's distance. */
function changesBetween(one: string, other: string): i32 {
  let row = new StaticArray<i32>(other.length + 1);
  for (let j = 0; j <= other.length; j++) row[j] = j;
  for (let i = 0; i < one.length; i++) {
    const next = new StaticArray<i32>(other.length + 1);
    next[0] = i + 1;
    for (let j = 0; j < other.length; j++) {
      const replaced = row[j] + (one.charCodeAt(i) == other.charCodeAt(j) ? 0 : 1);
      next[j + 1] = min(replaced, min(row[j + 1], next[j]) + 1);
    }
    row = next;
  }
  return row[other.length];
}
