// The public parts of this folder: logs, attached clients, and the streams of an exec.

export { AddressedClient } from "./addressed-client.js";
export { Attachment } from "./attach.js";
export type { Ending } from "./attach.js";
export { Attachments } from "./attachments.js";
export { entriesOf, fromClient } from "./client-body.js";
export { ExecAttachment } from "./exec-attachment.js";
export { FRAME_HEADER, STDERR, STDOUT, readFrameHeader } from "./frames.js";
export { HeldOutput } from "./held-output.js";
export type { HijackedClient } from "./hijacked-client.js";
export { LogLine } from "./log-lines.js";
export { keptLog } from "./kept-log.js";
export { serveLogs } from "./logs.js";
export { counted, received } from "./received.js";
export { blobsGiven, filesSent, imagesSent } from "./sent.js";
export { Transfer } from "./transfer.js";
export { Moment, TIMESTAMP_LENGTH } from "./timestamps.js";
