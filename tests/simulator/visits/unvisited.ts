// Cases of the boundary that no story can come to, and why. Whoever makes one visible strikes it out here.

const FIGURES = "the simulated machine has no block devices whose users it counts";

/** By case, the reason. */
export const UNVISITED: Readonly<Record<string, string>> = {
  "block-counter service-bytes": FIGURES,
  "block-counter serviced": FIGURES,
  "block-counter queued": FIGURES,
  "block-counter service-time": FIGURES,
  "block-counter wait-time": FIGURES,
  "block-counter merged": FIGURES,
  "block-counter time": FIGURES,
  "block-counter sectors": FIGURES,
  "deed migrated": "stories begin without records: none is of an earlier version",
  "network-command drop":
    "is for networks that no record speaks of: the one that there is comes with the engine, and a damaged record keeps it",
};
