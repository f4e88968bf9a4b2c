// Bytes as lowercase hex digits, and checks of such digits.

/** Two digits per byte. */
export function toHex(bytes: Uint8Array): string {
  const units = new ArrayBuffer(bytes.length << 2);
  const target = changetype<usize>(units);
  for (let i = 0; i < bytes.length; i++) {
    store<u16>(target + (i << 2), digit(bytes[i] >> 4));
    store<u16>(target + (i << 2) + 2, digit(bytes[i] & 15));
  }
  return String.UTF16.decodeUnsafe(target, units.byteLength);
}

/** Whether the text consists of lowercase hex digits; false for an empty one. */
export function isHex(text: string): bool {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (!((unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x66))) return false;
  }
  return text.length > 0;
}

/** Whether a text is a full id: 64 lowercase hex digits. */
export function isFullId(text: string): bool {
  return text.length == 64 && isHex(text);
}

/** Value of a hex digit in either case, or -1. */
export function hexValue(unit: i32): i32 {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function digit(value: u8): u16 {
  return value < 10 ? 0x30 + value : 0x57 + value;
}
