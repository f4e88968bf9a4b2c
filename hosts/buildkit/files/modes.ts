// Bits of a file's mode in messages (Go, io/fs.FileMode).

export const DIRECTORY = 2 ** 31;
export const SYMLINK = 1 << 27;
export const DEVICE = 1 << 26;
export const PIPE = 1 << 25;
export const SOCKET = 1 << 24;
export const SETUID = 1 << 23;
export const SETGID = 1 << 22;
export const CHARACTER = 1 << 21;
export const STICKY = 1 << 20;
export const IRREGULAR = 1 << 19;
export const PERMISSIONS = 0o777;
