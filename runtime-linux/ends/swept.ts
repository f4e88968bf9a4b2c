/** Told of what is cleared away without the core's word: what a crash has left that no record can speak of. */
export type Swept = (what: string, why: string) => void;

export const UNTOLD: Swept = () => {};
