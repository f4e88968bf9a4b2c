// Finds the known word that was probably meant by an unknown one.

/** The word of `known` with the fewest typing errors; null if none is close. */
export function nearest(word: string, known: readonly string[]): string | null {
  const far = Math.max(1, Math.floor(word.length / 3));
  const ranked = known
    .map((one) => ({ one, distance: one.startsWith(word) && word.length > 2 ? 1 : distance(word, one) }))
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0] !== undefined && ranked[0].distance <= far ? ranked[0].one : null;
}

/** `: did you mean X?`, or empty. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === null ? "" : `: did you mean ${meant}?`;
}

/** Number of letters inserted, deleted, replaced, or swapped with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const exchanged = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, exchanged);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
