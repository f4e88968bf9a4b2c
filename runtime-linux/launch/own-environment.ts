// The environment of programs that the engine starts. Only PATH is passed on, because the engine's own environment may
// hold secrets.

/** For `spawn`. */
export function environment(): { PATH: string } {
  return { PATH: process.env["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
}
