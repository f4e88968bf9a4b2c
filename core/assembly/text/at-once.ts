// Looks at several characters of a text at once: four UTF-16 units, or eight bytes, as the lanes of one number.

/** The highest bit of each lane. */
const UNIT_TOPS: u64 = 0x8000_8000_8000_8000;
const BYTE_TOPS: u64 = 0x8080_8080_8080_8080;
/** The value 1 in each lane. */
const UNIT_ONES: u64 = 0x0001_0001_0001_0001;
const BYTE_ONES: u64 = 0x0101_0101_0101_0101;
/** Bits that no ASCII character has. */
const BEYOND_ASCII: u64 = 0xff80_ff80_ff80_ff80;

const SPACE: u64 = 0x20;
const QUOTE: u64 = 0x22;
const BACKSLASH: u64 = 0x5c;

/** Whether four units are ASCII. */
export function areAscii(units: u64): bool {
  return (units & BEYOND_ASCII) == 0;
}

/**
 * Whether four units are ASCII, and stand for themselves in a JSON string: no control characters, quotes or backslashes.
 * With its top bit set, a lane keeps that bit through a subtraction only if it was not below what is subtracted.
 */
export function arePlain(units: u64): bool {
  const visible = (units | UNIT_TOPS) - SPACE * UNIT_ONES;
  const unquoted = ((units ^ (QUOTE * UNIT_ONES)) | UNIT_TOPS) - UNIT_ONES;
  const unescaped = ((units ^ (BACKSLASH * UNIT_ONES)) | UNIT_TOPS) - UNIT_ONES;
  return areAscii(units) && (visible & unquoted & unescaped & UNIT_TOPS) == UNIT_TOPS;
}

/** Whether eight bytes of UTF-8 stand for themselves in a JSON string. */
export function arePlainBytes(bytes: u64): bool {
  const low = bytes & ~BYTE_TOPS;
  const visible = (low | BYTE_TOPS) - SPACE * BYTE_ONES;
  const unquoted = ((low ^ (QUOTE * BYTE_ONES)) | BYTE_TOPS) - BYTE_ONES;
  const unescaped = ((low ^ (BACKSLASH * BYTE_ONES)) | BYTE_TOPS) - BYTE_ONES;
  return (((visible & unquoted & unescaped) | bytes) & BYTE_TOPS) == BYTE_TOPS;
}

/** Whether one of four units is 0: the only lane that borrows without a top bit of its own. */
export function haveNul(units: u64): bool {
  return ((units - UNIT_ONES) & ~units & UNIT_TOPS) != 0;
}

/** Four ASCII units as four bytes. */
export function narrowed(units: u64): u32 {
  const pairs = (units | (units >> 8)) & 0x0000_ffff_0000_ffff;
  return <u32>(pairs | (pairs >> 16));
}

/** Four ASCII bytes as four units. */
export function widened(bytes: u32): u64 {
  const pairs = (<u64>bytes | ((<u64>bytes) << 16)) & 0x0000_ffff_0000_ffff;
  return (pairs | (pairs << 8)) & 0x00ff_00ff_00ff_00ff;
}
