// Messages of `moby.sshforward.v1.SSH` (moby/buildkit, session/sshforward/ssh.proto).

import { one, type Message } from "./field.js";

export const checkAgentRequest: Message = { ID: one(1) };

/** Some bytes of a connection, in either direction. */
export const agentBytes: Message = { data: one(1, "raw") };
