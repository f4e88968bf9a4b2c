// `HostConfig.RestartPolicy` of a container (surface §2.17). For its effect at the end of a run see restart-policy.ts.

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
    /** Maximum of restarts in a row for `on-failure`; 0 for no limit. */
    readonly maximum: i64,
  ) {}

  /** Docker's name. */
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
