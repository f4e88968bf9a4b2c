// Cases of the boundary that no story can reach, and the reasons. Remove a case here once a story can reach it.

const FIGURES = "the simulated machine does not count the use of block devices";

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
  "deed migrated": "stories begin without records, so none is of an earlier version",
};
