/** A trick on the next `left` commands of a name (`launch`, `mount`…). */
export interface Trick {
  how: "fail" | "fail-late" | "lose" | "slow" | "twice";
  command: string;
  left: number;
  /** The failure. The default is the most likely one. */
  kind?: string;
}
