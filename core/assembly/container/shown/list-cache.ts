/** What a list's item has around its sizes and its `Status`, in which there is a time: kept until something changes. */
export class ListedItem {
  constructor(
    readonly version: i32,
    /** How often images' names had changed by then. */
    readonly names: i32,
    readonly head: Uint8Array,
    readonly tail: Uint8Array,
  ) {}
}
