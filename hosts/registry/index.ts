// The public parts of this folder: a client of registries on any transport, and the transport on fetch().

export { registryClient } from "./client.js";
export type { RegistryClient } from "./client.js";
export { digestLike, digestOf } from "./digest.js";
export { failedExchange, unanswered } from "./failures.js";
export { fetchTransport, isStream } from "./transport.js";
export type { LayerBytes } from "./pushes.js";
export type { WebBody } from "./web-files.js";
export type { RequestBody, Transport, TransportRequest, TransportResponse } from "./transport.js";
