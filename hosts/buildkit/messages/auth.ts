// Messages of `moby.filesync.v1.Auth` (moby/buildkit, session/auth/auth.proto).

import { one, type Message } from "./field.js";

export const credentialsRequest: Message = { Host: one(1) };

export const credentialsResponse: Message = { Username: one(1), Secret: one(2) };
