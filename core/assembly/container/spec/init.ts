// `HostConfig.Init`: the machine's init program starts the container's own, forwards signals and reaps orphans.

import { Json } from "../../json/json";

/** Its path in a container. */
export const INIT_PATH: string = "/sbin/docker-init";

/** In another pid namespace, init would not be the first process. */
export function hasInit(hostConfig: Json): bool {
  return hostConfig.boolOf("Init") && hostConfig.stringOf("PidMode").length == 0;
}
