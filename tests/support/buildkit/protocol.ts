// The messages of BuildKit's calls, as published, for a client that shares no code with the engine.
import protobuf from "protobufjs";

const { root } = protobuf.parse(
  `
syntax = "proto3";
message Empty {}
message Time { int64 seconds = 1; int32 nanos = 2; }
message Platform { string Architecture = 1; string OS = 2; string Variant = 3; }
message Version { string package = 1; string version = 2; }
message Worker { string ID = 1; repeated Platform platforms = 3; Version BuildkitVersion = 5; }
message Workers { repeated Worker record = 1; }
message Definition { repeated bytes def = 1; }
message SolveRequest {
  string Ref = 1; Definition Definition = 2; string Exporter = 3; map<string, string> ExporterAttrs = 4;
  string Session = 5; string Frontend = 6; map<string, string> FrontendAttrs = 7;
}
message SolveResponse { map<string, string> ExporterResponse = 1; }
message BytesMessage { bytes data = 1; }
message StatusRequest { string Ref = 1; }
message Vertex {
  string digest = 1; repeated string inputs = 2; string name = 3; bool cached = 4;
  Time started = 5; Time completed = 6; string error = 7;
}
message VertexLog { string vertex = 1; Time timestamp = 2; int64 stream = 3; bytes msg = 4; }
message StatusResponse { repeated Vertex vertexes = 1; repeated VertexLog logs = 3; }
message BridgeSolveRequest { string Frontend = 2; map<string, string> FrontendOpt = 3; bool allowResultReturn = 5; }
message Ref { string id = 1; }
message Result { Ref ref = 3; }
message BridgeSolveResponse { Result result = 3; }
message RpcStatus { int32 code = 1; string message = 2; repeated Detail details = 3; }
message Detail { string type_url = 1; bytes value = 2; }
message ReturnRequest { Result result = 1; RpcStatus error = 2; }
message Capability { string ID = 1; bool Enabled = 2; }
message Pong { repeated Capability FrontendAPICaps = 1; repeated Worker Workers = 3; }
message Stat {
  string path = 1; uint32 mode = 2; uint32 uid = 3; uint32 gid = 4; int64 size = 5; int64 modTime = 6; string linkname = 7;
}
message CredentialsRequest { string Host = 1; }
message CredentialsResponse { string Username = 1; string Secret = 2; }
message SecretRequest { string ID = 1; }
message SecretResponse { bytes data = 1; }
message Packet { int32 type = 1; Stat stat = 2; uint32 ID = 3; bytes data = 4; }
`,
  { keepCase: true },
);

export type Fields = Record<string, unknown>;

/** Encodes and decodes the messages of one type. */
export function messagesOf(name: string): { encode(fields: Fields): Buffer; decode(bytes: Buffer): Fields } {
  const type = root.lookupType(name);
  return {
    encode: (fields) => Buffer.from(type.encode(type.fromObject(fields)).finish()),
    decode: (bytes) => type.toObject(type.decode(bytes), { longs: Number }) as Fields,
  };
}
