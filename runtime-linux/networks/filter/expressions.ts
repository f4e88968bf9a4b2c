// All that a rule may consist of: conditions, translations and verdicts. Values pass through registers (`registers.ts`).

export * from "./conditions.js";
export * from "./translations.js";
export * from "./verdicts.js";
export type { Expression, PacketField } from "./registers.js";
export { RECEIVER_PORT } from "./registers.js";
