// What programs that the engine starts are told of its own environment, which may hold secrets: no more than PATH.

/** For `spawn`. */
export function environment(): { PATH: string } {
  return { PATH: process.env["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
}
