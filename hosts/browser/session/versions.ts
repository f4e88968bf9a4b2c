// API versions that the engine supports: minor numbers of major version 1.

export const OLDEST_VERSION = 24;
export const NEWEST_VERSION = 55;
