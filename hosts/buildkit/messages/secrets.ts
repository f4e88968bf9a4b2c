// Messages of `moby.buildkit.secrets.v1.Secrets` (moby/buildkit, session/secrets/secrets.proto).

import { one, type Message } from "./field.js";

export const secretRequest: Message = { ID: one(1) };

export const secretResponse: Message = { data: one(1, "raw") };
