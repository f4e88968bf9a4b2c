// How much of what strangers made is taken into the engine's memory.

/** Bytes of a document of an image: a list, an index, a manifest, a config. */
export const DOCUMENT_LIMIT: u32 = 4 << 20;
