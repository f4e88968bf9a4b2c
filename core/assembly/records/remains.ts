import { FoundJoin } from "../../../build/bindings/types";

/** What the host found of a container whose record was set aside, besides its files. */
export class Remains {
  readonly runs: u32[] = [];
  readonly joins: FoundJoin[] = [];
  /** Its removal is in progress. */
  going: bool = false;
}
