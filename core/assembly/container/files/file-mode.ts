// File modes as Go writes them (surface §2.13): the kernel's `st_mode` (inode(7)) has the same parts at other bits.

const TYPE_BITS: u32 = 0o170000;
const PERMISSIONS: u32 = 0o777;

export function isDirectory(mode: u32): bool {
  return (mode & TYPE_BITS) == 0o040000;
}

/** Go's `fs.FileMode`. */
export function fileModeOf(mode: u32): u32 {
  let result = (mode & PERMISSIONS) | typeOf(mode & TYPE_BITS);
  if ((mode & 0o4000) != 0) result |= 1 << 23;
  if ((mode & 0o2000) != 0) result |= 1 << 22;
  if ((mode & 0o1000) != 0) result |= 1 << 20;
  return result;
}

function typeOf(type: u32): u32 {
  switch (type) {
    case 0o040000:
      return 1 << 31;
    case 0o120000:
      return 1 << 27;
    case 0o060000:
      return 1 << 26;
    case 0o020000:
      return (1 << 26) | (1 << 21);
    case 0o010000:
      return 1 << 25;
    case 0o140000:
      return 1 << 24;
    default:
      return 0;
  }
}
