// What a person sees of a program's output on a terminal: lines that were written over are gone (ECMA-48, 8.3).

const ESCAPE = "\x1b";
/** After the escape. */
const SEQUENCE = /^\[(\??[0-9;]*)([A-Za-z])/;
const LONGEST = 32;

/** The lines on a terminal with this many columns, without spaces at their ends. Throws if it does not know a sequence. */
export function shownOn(columns: number, output: string): string[] {
  const screen = new Screen(columns);
  for (let at = 0; at < output.length;) {
    if (output[at] !== ESCAPE) {
      screen.write(output[at++]!);
      continue;
    }
    const rest = output.slice(at + 1, at + LONGEST);
    const [whole, given = "", command = ""] = SEQUENCE.exec(rest) ?? [];
    if (whole === undefined) throw new Error(`no known sequence: ${JSON.stringify(rest)}`);
    screen.obey(command, given);
    at += 1 + whole.length;
  }
  return screen.lines();
}

class Screen {
  readonly #columns: number;
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#down(1);
    else if (character === "\b") this.#column = Math.max(0, this.#column - 1);
    else if (character >= " ") this.#put(character);
    else throw new Error(`no known character: ${JSON.stringify(character)}`);
  }

  obey(command: string, given: string): void {
    const count = Math.max(1, Number(given) || 1);
    if (command === "A") this.#row = Math.max(0, this.#row - count);
    else if (command === "B") this.#down(count);
    else if (command === "C") this.#column = Math.min(this.#columns - 1, this.#column + count);
    else if (command === "D") this.#column = Math.max(0, this.#column - count);
    else if (command === "G") this.#column = count - 1;
    else if (command === "K" && given === "2") this.#rows[this.#row] = [];
    else if (command === "K") this.#rows[this.#row]!.length = Math.min(this.#column, this.#rows[this.#row]!.length);
    else if (command === "J") this.#rows.length = this.#row + 1;
    // Colours, and whether the cursor is shown.
    else if (command !== "m" && !given.startsWith("?25")) throw new Error(`no known command: ${given}${command}`);
  }

  lines(): string[] {
    const lines = this.#rows.map((row) =>
      Array.from(row, (character) => character ?? " ")
        .join("")
        .trimEnd(),
    );
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /** After the last column the next character begins a line, but not before it comes. */
  #put(character: string): void {
    if (this.#column === this.#columns) {
      this.#column = 0;
      this.#down(1);
    }
    this.#rows[this.#row]![this.#column++] = character;
  }

  #down(count: number): void {
    this.#row += count;
    while (this.#rows.length <= this.#row) this.#rows.push([]);
  }
}
