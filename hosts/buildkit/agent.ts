// An ssh agent of a session's client: each connection to it is a call.

import { interrupted, noSuch } from "../shared/index.js";
import type { SshAgent, SshConnection } from "../shared/index.js";
import { CallFailed, TooLarge, type Caller, type Conversation } from "./conversation.js";
import { agentBytes, checkAgentRequest } from "./messages/agents.js";
import { decode, encode } from "./messages/codec.js";

const CHECK = "/moby.sshforward.v1.SSH/CheckAgent";
const FORWARD = "/moby.sshforward.v1.SSH/ForwardAgent";
/** The header by which a connection names its agent (moby/buildkit, session/sshforward). */
const ID = "buildkit.ssh.id";
/** Code of gRPC by which a client says that it knows no such calls. */
const UNIMPLEMENTED = 12;

export interface WantedAgent {
  /** As the client calls it. */
  id: string;
  /** Bytes of a message at most. */
  message: number;
}

/**
 * Asks whether there is such an agent. Fails as `no-such` of `agent`, as `body-broke` with the client's words, or as
 * `interrupted` if the session ends or nobody waits any more.
 */
export async function askedAgent(caller: Caller, wanted: WantedAgent, signal: AbortSignal): Promise<SshAgent> {
  const { id, message } = wanted;
  const call = caller(CHECK, {}, message);
  const cancel = (): void => call.cancel();
  signal.addEventListener("abort", cancel);
  try {
    await call.send(encode(checkAgentRequest, { ID: id }));
    call.finish();
    if (!(await isAnswered(call))) throw interrupted(signal.aborted ? "given-up" : "client-gone");
    return () => connectionOn(caller(FORWARD, { [ID]: [id] }, message));
  } catch (error) {
    if (error instanceof CallFailed && error.code === UNIMPLEMENTED) throw noSuch("agent", id);
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** The answer has nothing in it. Whatever a client adds is not read, however much it is. */
async function isAnswered({ messages }: Conversation): Promise<boolean> {
  try {
    for await (const _message of messages) return true;
    return false;
  } catch (error) {
    if (error instanceof TooLarge) return true;
    throw error;
  }
}

function connectionOn(call: Conversation): SshConnection {
  return {
    bytes: bytesIn(call.messages),
    send: (data) => call.send(encode(agentBytes, { data })),
    finish: () => call.finish(),
    cancel: () => call.cancel(),
  };
}

async function* bytesIn(messages: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const message of messages) {
    const { data } = decode(agentBytes, message) as { data?: Uint8Array };
    if (data !== undefined && data.length > 0) yield data;
  }
}
