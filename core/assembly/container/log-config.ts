// What becomes of a container's output: `HostConfig.LogConfig`.

import { LogKeeping } from "../../../build/bindings/types";
import { Call } from "../call";
import { Container } from "./container";

/** All of it is kept. */
export function logOf(_container: Container): LogKeeping {
  return new LogKeeping(0, 1, false, false);
}

/** What `details` puts before each line; empty for nothing. */
export function detailsOf(_call: Call, _container: Container): string {
  return "";
}
