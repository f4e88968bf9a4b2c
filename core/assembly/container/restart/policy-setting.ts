// `HostConfig.RestartPolicy` of a container (surface §2.17). What it means at the end of a run: restart-policy.ts.

import { Json } from "../../json/json";

export enum PolicyKind {
  No,
  Always,
  UnlessStopped,
  OnFailure,
}

const NAMES: string[] = ["no", "always", "unless-stopped", "on-failure"];

export class RestartPolicy {
  constructor(
    readonly kind: PolicyKind,
    /** Restarts of `on-failure` in a row; 0 for any number. */
    readonly maximum: i64,
  ) {}

  /** Docker's. */
  get name(): string {
    return NAMES[this.kind];
  }
}

export const NO_RESTARTS: RestartPolicy = new RestartPolicy(PolicyKind.No, 0);

/** The policy of a validated `HostConfig`. */
export function restartPolicyOf(hostConfig: Json): RestartPolicy {
  const policy = hostConfig.entry("RestartPolicy");
  if (policy === null) return NO_RESTARTS;
  const name = policy.stringOf("Name");
  if (name == "always") return new RestartPolicy(PolicyKind.Always, 0);
  if (name == "unless-stopped") return new RestartPolicy(PolicyKind.UnlessStopped, 0);
  if (name == "on-failure") return new RestartPolicy(PolicyKind.OnFailure, policy.i64Of("MaximumRetryCount"));
  return NO_RESTARTS;
}
