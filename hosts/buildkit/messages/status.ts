// The status of a failed call (googleapis, google/rpc/status.proto; grpc, PROTOCOL-HTTP2.md).

import { many, one, type Message } from "./field.js";

/** A detail is any document, with what it is: `type_url` `github.com/moby/buildkit/errdefs.Source+json` is JSON. */
const detail: Message = { type_url: one(1), value: one(2, "bytes") };

export const status: Message = { code: one(1, "int32"), message: one(2), details: many(3, () => detail) };
