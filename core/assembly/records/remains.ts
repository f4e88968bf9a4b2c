import { FoundJoin } from "../../../build/bindings/types";

/** What the host has of a container whose record was set aside, besides its files. */
export class Remains {
  readonly runs: u32[] = [];
  readonly joins: FoundJoin[] = [];
  /** It is being removed. */
  going: bool = false;
}
