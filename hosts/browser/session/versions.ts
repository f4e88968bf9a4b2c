// Versions of the API that the engine speaks: minor numbers, the major one being 1.

export const OLDEST_VERSION = 24;
export const NEWEST_VERSION = 55;
