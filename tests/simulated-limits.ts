// Tests that the simulated engine cannot pass, each with its reason: they need something of Linux that the simulated
// world does not have.

export interface Limit {
  /** The block of tests. */
  readonly block: string;
  /** The test's name. */
  readonly test: string;
  readonly reason: string;
}

const NO_PACKETS = "networks are simulated up to addresses and ports: no packet travels on them";

export const LIMITS: readonly Limit[] = [
  { block: "a network joined", test: "what one listens on the other reaches at 127.0.0.1", reason: NO_PACKETS },
  {
    block: "dropped connections",
    test: "those who only listened to a quiet container are noticed to have gone",
    reason: "the machine must be asked, and the engine that pretends runs on any; it notices at the next output",
  },
  {
    block: "docker exec",
    test: "--privileged",
    reason: "what a container may do is told by its /proc for all of its processes alike",
  },
  {
    block: "namespaces",
    test: "the machine's own, on request",
    reason: "the simulated machine has no processes besides those of containers",
  },
  { block: "docker run", test: "a published port answers", reason: NO_PACKETS },
  {
    block: "docker run",
    test: "two containers reach one another over the bridge; the outside is masqueraded",
    reason: NO_PACKETS,
  },
  {
    block: "tmpfs",
    test: "mounts spread as the last word says",
    reason: "containers mount nothing there that could spread",
  },
  { block: "testcontainers", test: "waits for listening ports, and again after a restart", reason: NO_PACKETS },
  { block: "testcontainers", test: "waits for an HTTP answer", reason: NO_PACKETS },
  { block: "testcontainers", test: "binds", reason: "the simulated machine has files of its own" },
];

/** Why a test does not apply to the simulated engine, or null. */
export function reasonNotToPretend(block: string, test: string): string | null {
  return LIMITS.find((limit) => limit.block === block && limit.test === test)?.reason ?? null;
}
