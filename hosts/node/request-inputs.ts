// The side of the driver that those need who bring requests.

import type { Input, RequestId } from "../host.js";

export interface RequestInputs {
  nextRequest(): RequestId;
  deliver(input: Input): void;
}
