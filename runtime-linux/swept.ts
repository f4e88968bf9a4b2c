/**
 * Called for everything that is removed without a command of the core: leftovers of a crash that no record mentions.
 */
export type Swept = (what: string, why: string) => void;

export const UNTOLD: Swept = () => {};
