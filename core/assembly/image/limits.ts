// Limits for data from outside that the engine keeps in memory.

/** Bytes of an image's document: a list, an index, a manifest, a config. */
export const DOCUMENT_LIMIT: u32 = 4 << 20;
