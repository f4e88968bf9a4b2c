/** Replaces a unit of a secret text. */
const BLANK: u16 = 0x2a;

/** Blanks units of a text permanently and in place, for all references. Must not be called for a text in the source. */
export function erase(text: string, from: i32 = 0, to: i32 = text.length): void {
  const start = changetype<usize>(text);
  for (let i = from; i < to; i++) store<u16>(start + ((<usize>i) << 1), BLANK);
}
