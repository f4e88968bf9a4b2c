// The public parts of this folder: the calls of BuildKit's clients, and the files that they send.

export { askedAgent } from "./agent.js";
export { CallFailed, TooLarge } from "./conversation.js";
export type { Caller, Conversation } from "./conversation.js";
export { askedCredentials } from "./credentials.js";
export { receivedFiles } from "./files/received-files.js";
export type { WantedFiles } from "./files/headers.js";
export { TooManyValues, decode, encode } from "./messages/codec.js";
export type { Fields } from "./messages/codec.js";
export { status } from "./messages/status.js";
export { deliver } from "./sent/delivery.js";
export { askedSecret } from "./secret.js";
export type { WantedSecret } from "./secret.js";
export { storedBlob, storedDocument } from "./stores/reading.js";
export { giveBlobs } from "./stores/writing.js";
export { uploadedArchive } from "./upload.js";
export { withoutSecrets } from "./secrets.js";
export { METHODS } from "./services.js";
export type { Method } from "./services.js";
