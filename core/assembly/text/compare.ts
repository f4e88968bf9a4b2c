// Orders strings by their UTF-16 units.

/** Units that are compared at once. */
const STRIDE: i32 = 4;

/** Negative if the left one comes first; 0 if they are equal. */
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

/** Indices of the strings in sorted order; equal strings keep their order. */
export function sortedPlaces(texts: string[]): i32[] {
  const places = new Array<i32>(texts.length);
  for (let i = 0; i < places.length; i++) places[i] = i;
  compared = texts;
  places.sort((a, b) => {
    const order = compareTexts(compared[a], compared[b]);
    return order == 0 ? a - b : order;
  });
  // Otherwise they would stay in memory until the next call.
  compared = NO_TEXTS;
  return places;
}

const NO_TEXTS: string[] = [];
// Comparators cannot capture variables.
let compared: string[] = NO_TEXTS;
