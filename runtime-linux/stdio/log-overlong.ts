// When a file of a log is cut down, because a burst of output between two checks made it much longer than its limit.

/** Times its limit. */
const OVERLONG = 2;

export function isOverlong(bytes: number, limit: number): boolean {
  return bytes > OVERLONG * limit;
}
