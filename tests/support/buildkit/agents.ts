// The client's side of moby.sshforward.v1.SSH: it has ssh agents, and engines connect to them through it.
import { connect, type Socket } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { messagesOf, type Fields } from "./protocol.js";

const CHECK = "/moby.sshforward.v1.SSH/CheckAgent";
const FORWARD = "/moby.sshforward.v1.SSH/ForwardAgent";

export type Forwarding = grpc.ServerDuplexStream<Fields, Fields>;

/** `has`: throws if there is no agent of an id. `forward`: what becomes of a connection. */
export function serveAgents(has: (id: string) => void, forward: (call: Forwarding, id: string) => void) {
  return (server: grpc.Server): string[] => {
    const CheckAgent: grpc.handleUnaryCall<Fields, Fields> = (call, answer) => {
      try {
        has(String(call.request["ID"] ?? ""));
        answer(null, {});
      } catch (error) {
        answer({ code: grpc.status.UNKNOWN, ...(error as Error & { code?: grpc.status }), details: String(error) });
      }
    };
    const ForwardAgent = (call: Forwarding): void => {
      call.on("error", () => {});
      forward(call, call.metadata.get("buildkit.ssh.id").join());
    };
    server.addService(
      {
        CheckAgent: definition(CHECK, false, ["SecretRequest", "Empty"]),
        ForwardAgent: definition(FORWARD, true, ["BytesMessage", "BytesMessage"]),
      },
      { CheckAgent, ForwardAgent },
    );
    return [CHECK, FORWARD];
  };
}

/** Connects a call to the agent at this socket. */
export function toAgent(call: Forwarding, path: string): Socket {
  const socket = connect({ path, allowHalfOpen: true });
  call.on("data", ({ data }: { data?: Buffer }) => data !== undefined && socket.write(data));
  call.on("end", () => socket.end()).on("cancelled", () => socket.destroy());
  socket
    .on("data", (data) => call.write({ data }))
    .on("close", () => call.end())
    .on("error", () => {});
  return socket;
}

/** `CheckAgentRequest` has one field, like the request for a secret. */
function definition(path: string, streams: boolean, [asked, answered]: readonly [string, string]) {
  const [request, response] = [messagesOf(asked), messagesOf(answered)];
  return {
    ...{ path, requestStream: streams, responseStream: streams },
    ...{ requestSerialize: request.encode, requestDeserialize: request.decode },
    ...{ responseSerialize: response.encode, responseDeserialize: response.decode },
  };
}
