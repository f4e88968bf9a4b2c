// The way to registries: connections that are kept, the machine's certificates, and proxies.
//
// Which proxy and which certificates a connection takes is decided here, not by the core: token servers and redirects have
// addresses that the core never sees, and the files change while the engine runs. What happened is told as data.

export { hostsIn } from "./hosts-file/hosts.js";
export { nodeTransport } from "./transport.js";
export type { WayOut } from "./transport.js";
