// Tests of the HTTP suite and of clients that the simulated engine cannot be asked to pass, each with its reason. They
// look into the machine that runs the test, or at something of Linux that the simulated world does not pretend.

export interface Limit {
  /** The block of tests. */
  readonly block: string;
  /** The test's name. */
  readonly test: string;
  readonly reason: string;
}

const OTHER_MACHINE = "the test looks at this machine's files; those of the simulated machine are in its process alone";
const NO_PACKETS = "networks are simulated up to addresses and ports: no packet travels on them";

export const LIMITS: readonly Limit[] = [
  { block: "effects", test: "binds: seen, written, read-only, made when missing", reason: OTHER_MACHINE },
  { block: "docker run", test: "a bind is seen, and written only if it may be", reason: OTHER_MACHINE },
  { block: "docker run", test: "a published port answers", reason: NO_PACKETS },
  {
    block: "docker run",
    test: "two containers reach one another over the bridge; the outside is masqueraded",
    reason: NO_PACKETS,
  },
  { block: "effects", test: "an image's VOLUME is a directory of its own, removed with v", reason: OTHER_MACHINE },
];

/** Why a test is not for the simulated engine, or null. */
export function reasonNotToPretend(block: string, test: string): string | null {
  return LIMITS.find((limit) => limit.block === block && limit.test === test)?.reason ?? null;
}
