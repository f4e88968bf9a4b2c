// The mode of a mount.

/** Octal digits; -1 for anything else. */
export function octalOf(text: string): i32 {
  let mode = 0;
  if (text.length == 0 || text.length > 5) return -1;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 7) return -1;
    mode = mode * 8 + digit;
  }
  return mode <= 0o7777 ? mode : -1;
}
