/**
 * A command that uses up its memory limit and is killed: /dev/zero has no line end, so its last line never ends. It is
 * a single process: with two, the other would allocate more before the memory of the killed one is free, and the kernel
 * would kill that one too. Other processes of the container sleep or wait for its end.
 */
export const MEMORY_EATER: readonly string[] = ["tail", "/dev/zero"];
