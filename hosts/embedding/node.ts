// coracle-engine on Node, Deno and Bun: everything from `index`, the Linux host, and an agent for HTTP clients.

export * from "./index.js";
export { linuxHost } from "./node-linux.js";
export type { LinuxOptions } from "./linux-options.js";
export { engineAgent } from "./node-agent.js";
