// Cases of the boundary that no story can reach, and the reasons. Remove a case here once a story can reach it.

const FIGURES = "the simulated machine does not count the use of block devices";

const GZIP = "all layers of the simulated registries are compressed with gzip, and those of commits are sent so";

/** The reason for each case. */
export const UNVISITED: Readonly<Record<string, string>> = {
  "block-counter service-bytes": FIGURES,
  "block-counter serviced": FIGURES,
  "block-counter queued": FIGURES,
  "block-counter service-time": FIGURES,
  "block-counter wait-time": FIGURES,
  "block-counter merged": FIGURES,
  "block-counter time": FIGURES,
  "block-counter sectors": FIGURES,
  "blob-compression none": GZIP,
  "blob-compression zstd": GZIP,
  "deed migrated": "stories begin without records, so none is of an earlier version",
};
