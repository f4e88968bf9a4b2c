/** What happens to the commands of a name (`launch`, `mount`…) for so many times. */
export interface Trick {
  how: "fail" | "fail-late" | "lose" | "slow" | "twice";
  command: string;
  left: number;
  /** As what it fails; as what is likeliest if not given. */
  kind?: string;
}
