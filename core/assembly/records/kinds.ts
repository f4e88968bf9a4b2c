// Kinds of records that say what is under way: the beginnings of their keys.

/** `commit/CONTAINER`: number of the run that must go on after a restart. */
export const HELD_RECORDS: string = "commit/";

/** `exec/EXEC`: its container's id and the number of the run, apart by a blank. */
export const EXEC_RECORDS: string = "exec/";
