// Tests that the simulated engine cannot pass, each with its reason: they need something of Linux that the simulated
// world does not have.

export interface Limit {
  /** The block of tests. */
  readonly block: string;
  /** The test's name. */
  readonly test: string;
  readonly reason: string;
}

export const LIMITS: readonly Limit[] = [
  {
    block: "dropped connections",
    test: "a client that left while it followed a quiet container is noticed",
    reason: "only the operating system can tell, and the simulated engine runs on any; it notices at the next output",
  },
  {
    block: "docker exec",
    test: "--privileged",
    reason: "/proc shows the same capabilities for all processes of a container",
  },
  {
    block: "namespaces",
    test: "the machine's namespaces, on request",
    reason: "the simulated machine has no processes outside containers",
  },
  {
    block: "tmpfs",
    test: "the last propagation option decides how mounts propagate",
    reason: "simulated containers cannot mount anything that could propagate",
  },
  {
    block: "docker-compose",
    test: "volumes and tmpfs are mounted",
    reason: "simulated volumes have no file system of their own, whatever their options",
  },
  { block: "testcontainers", test: "binds", reason: "the simulated machine has files of its own" },
];

/** Why a test does not apply to the simulated engine, or null. */
export function reasonNotToPretend(block: string, test: string): string | null {
  return LIMITS.find((limit) => limit.block === block && limit.test === test)?.reason ?? null;
}
