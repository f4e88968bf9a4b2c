// `HostConfig.Init`: the machine's init program stands before the container's own, passes signals on and reaps orphans.

import { Json } from "../../json/json";

/** Where it is in a container. */
export const INIT_PATH: string = "/sbin/docker-init";

/** Who shares another pid namespace is not its first process. */
export function hasInit(hostConfig: Json): bool {
  return hostConfig.boolOf("Init") && hostConfig.stringOf("PidMode").length == 0;
}
