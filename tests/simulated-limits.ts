// Tests of clients that the simulated engine cannot be asked to pass, each with its reason: they want something of Linux
// that the simulated world does not pretend. Of the HTTP suite there is none.

export interface Limit {
  /** The block of tests. */
  readonly block: string;
  /** The test's name. */
  readonly test: string;
  readonly reason: string;
}

const NO_PACKETS = "networks are simulated up to addresses and ports: no packet travels on them";

export const LIMITS: readonly Limit[] = [
  { block: "docker run", test: "a published port answers", reason: NO_PACKETS },
  {
    block: "docker run",
    test: "two containers reach one another over the bridge; the outside is masqueraded",
    reason: NO_PACKETS,
  },
];

/** Why a test is not for the simulated engine, or null. */
export function reasonNotToPretend(block: string, test: string): string | null {
  return LIMITS.find((limit) => limit.block === block && limit.test === test)?.reason ?? null;
}
