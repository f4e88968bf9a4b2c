// Finds circular imports: the strongly connected components of the import graph (Tarjan, 1972).

/** `imports`: for each file, the project files that it imports. Each circle is sorted; the largest comes first. */
export function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const search = new CircleSearch(imports);
  for (const file of imports.keys()) search.visit(file);
  return search.circles.map((circle) => circle.sort()).sort((a, b) => b.length - a.length);
}

class CircleSearch {
  readonly circles: string[][] = [];
  readonly #imports: ReadonlyMap<string, readonly string[]>;
  /** Visit order of each file. */
  readonly #number = new Map<string, number>();
  /** The lowest number that can be reached. */
  readonly #lowest = new Map<string, number>();
  /** Files that may still turn out to belong to one circle. */
  readonly #open: string[] = [];

  constructor(imports: ReadonlyMap<string, readonly string[]>) {
    this.#imports = imports;
  }

  visit(file: string): void {
    if (this.#number.has(file)) return;
    const number = this.#number.size;
    this.#number.set(file, number);
    this.#lowest.set(file, number);
    this.#open.push(file);
    for (const to of this.#imports.get(file) ?? []) this.#follow(file, to);
    if (this.#lowest.get(file) !== number) return;
    const circle = this.#open.splice(this.#open.indexOf(file));
    if (circle.length > 1) this.circles.push(circle);
  }

  #follow(file: string, to: string): void {
    const isNew = !this.#number.has(to);
    this.visit(to);
    if (!isNew && !this.#open.includes(to)) return;
    const back = isNew ? this.#lowest.get(to)! : this.#number.get(to)!;
    this.#lowest.set(file, Math.min(this.#lowest.get(file)!, back));
  }
}
