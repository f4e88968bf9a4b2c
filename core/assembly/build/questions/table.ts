// Columns of text, as Go's text/tabwriter aligns them.

import { TextBuilder } from "../../text/builder";

/** Longer texts move what is after them. */
const WIDEST: i32 = 200;

export class Table {
  private readonly rows: string[][] = [];
  private readonly widths: i32[] = [];

  constructor(
    heads: string[],
    /** Spaces between the columns. */
    private readonly gap: i32,
  ) {
    for (let i = 0; i < heads.length; i++) this.widths.push(0);
    this.add(heads);
  }

  get isEmpty(): bool {
    return this.rows.length == 1;
  }

  add(cells: string[]): void {
    this.rows.push(cells);
    for (let i = 0; i < cells.length; i++) this.widths[i] = max(this.widths[i], min(cells[i].length, WIDEST));
  }

  /** The last column is not padded. */
  write(text: TextBuilder): void {
    for (let i = 0; i < this.rows.length; i++) {
      const cells = this.rows[i];
      const last = cells.length - 1;
      for (let j = 0; j < last; j++) text.text(cells[j].padEnd(this.widths[j])).text(" ".repeat(this.gap));
      text.text(cells[last]).text("\n");
    }
  }
}
