/**
 * A command that takes all memory it may, and is killed for it: there is no line in /dev/zero, and so no end of the last
 * one. It is one process: of two the other goes on to ask for memory, before that of the killed one is free, and then the
 * kernel kills a second one. Whoever else is in the container sleeps, or waits for its end.
 */
export const MEMORY_EATER: readonly string[] = ["tail", "/dev/zero"];
