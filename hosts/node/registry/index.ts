// The way to registries: connections that are kept, the machine's certificates, and proxies.

export { nodeTransport } from "./transport.js";
export type { WayOut } from "./transport.js";
