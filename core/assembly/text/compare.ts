// The order of texts by their UTF-16 units.

/** Units that are looked at together. */
const STRIDE: i32 = 4;

/** Less than 0: the left one comes first; 0: they are the same. */
export function compareTexts(left: string, right: string): i32 {
  const common = min(left.length, right.length);
  const from = changetype<usize>(left);
  const to = changetype<usize>(right);
  let i = 0;
  while (i + STRIDE <= common && load<u64>(from + ((<usize>i) << 1)) == load<u64>(to + ((<usize>i) << 1))) i += STRIDE;
  for (; i < common; i++) {
    const difference = <i32>load<u16>(from + ((<usize>i) << 1)) - <i32>load<u16>(to + ((<usize>i) << 1));
    if (difference != 0) return difference;
  }
  return left.length - right.length;
}

/** Their places in that order; those that are the same as they stand. */
export function sortedPlaces(texts: string[]): i32[] {
  const places = new Array<i32>(texts.length);
  for (let i = 0; i < places.length; i++) places[i] = i;
  compared = texts;
  places.sort((a, b) => {
    const order = compareTexts(compared[a], compared[b]);
    return order == 0 ? a - b : order;
  });
  // They would live until the next call.
  compared = NO_TEXTS;
  return places;
}

const NO_TEXTS: string[] = [];
// Comparators cannot capture variables.
let compared: string[] = NO_TEXTS;
