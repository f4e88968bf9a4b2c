// Messages of `grpc.health.v1.Health` (grpc/grpc-proto, grpc/health/v1/health.proto).

import { one, type Message } from "./field.js";

export const healthCheckRequest: Message = { service: one(1) };

/** `status`: 1 is serving, 3 an unknown service. */
export const healthCheckResponse: Message = { status: one(1, "int32") };
