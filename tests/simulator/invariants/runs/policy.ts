// Docker's restart policies: `always` restarts a container even if a client stopped it, `unless-stopped` only if none
// did, and `on-failure` after a failure, up to its maximum.

export interface Governed {
  hostConfig: { RestartPolicy?: { Name?: string; MaximumRetryCount?: number } | null };
  /** Number of automatic restarts. */
  restartCount: number;
}

/** Whether a client has stopped the container since it was started. */
export type Stopped = boolean | "perhaps";

/** Whether another run follows a run with this exit code. */
export function wantsAnother({ hostConfig, restartCount }: Governed, code: number, stopped: Stopped): Stopped {
  const { Name = "", MaximumRetryCount: most = 0 } = hostConfig.RestartPolicy ?? {};
  switch (Name) {
    case "always":
      return true;
    case "unless-stopped":
      return stopped === "perhaps" ? "perhaps" : !stopped;
    case "on-failure":
      return code !== 0 && (most === 0 || restartCount < most);
    default:
      return false;
  }
}
