// Messages of `containerd.services.content.v1.Content` (containerd, api/services/content/v1/content.proto).

import { one, type Message } from "./field.js";

/** Without an offset and a size: all of the blob. */
export const readRequest: Message = { digest: one(1), offset: one(2, "int64"), size: one(3, "int64") };

export const readResponse: Message = { offset: one(1, "int64"), data: one(2, "raw") };

export const writeRequest: Message = {
  action: one(1, "int32"),
  ref: one(2),
  total: one(3, "int64"),
  expected: one(4),
  offset: one(5, "int64"),
  data: one(6, "raw"),
};

export const writeResponse: Message = { action: one(1, "int32"), offset: one(4, "int64"), digest: one(6) };

/** What a message of a writer is for. */
export const STAT = 0;
export const WRITE = 1;
export const COMMIT = 2;
