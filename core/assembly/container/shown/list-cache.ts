/**
 * The JSON of a list item before and after its sizes and `Status`, which contains a time. Kept until something changes.
 */
export class ListedItem {
  constructor(
    readonly version: i32,
    /** Number of changes of image names when this was made. */
    readonly names: i32,
    readonly head: Uint8Array,
    readonly tail: Uint8Array,
  ) {}
}
