// Docker's restart policies: `always` whoever stopped it, `unless-stopped` unless a client did, `on-failure` after a failure,
// as often as it may.

export interface Governed {
  hostConfig: { RestartPolicy?: { Name?: string; MaximumRetryCount?: number } | null };
  /** Runs that have followed by themselves. */
  restartCount: number;
}

/** Whether a client has stopped it since it was started. */
export type Stopped = boolean | "perhaps";

/** Whether another run follows one that ended with this code. */
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
