// The cells of a session while they are edited. Sending is an action; the order of cells is only a matter of display.

import { computed, signal } from "@preact/signals-core";
import type { ReadonlySignal, Signal } from "@preact/signals-core";
import type { Cell } from "./cell.js";
import type { Exchange } from "./exchange.js";
import type { WrittenRequest } from "./request.js";

/** A cell as it is saved and shared. */
export interface KeptCell {
  readonly id: string;
  readonly request: WrittenRequest;
}

export class Notebook {
  readonly cells = signal<readonly EditableCell[]>([]);
  readonly #exchanges: ReadonlySignal<readonly Exchange[]>;
  #count = 0;

  constructor(exchanges: ReadonlySignal<readonly Exchange[]>, kept: readonly KeptCell[] = []) {
    this.#exchanges = exchanges;
    for (const { id, request } of kept) this.#insert(id, request, this.cells.value.length);
  }

  add(request: WrittenRequest, place = this.cells.value.length): Cell {
    return this.#insert(`c${this.#count + 1}`, request, place);
  }

  edit(id: string, request: Partial<WrittenRequest>): void {
    const cell = this.find(id);
    cell.request.value = { ...cell.request.value, ...request };
  }

  /** Adds an unsent copy below it. */
  duplicate(id: string): Cell {
    return this.add(this.find(id).request.value, this.cells.value.findIndex((cell) => cell.id === id) + 1);
  }

  remove(id: string): void {
    this.cells.value = this.cells.value.filter((cell) => cell.id !== id);
  }

  move(id: string, place: number): void {
    const cell = this.find(id);
    const others = this.cells.value.filter((one) => one !== cell);
    this.cells.value = [...others.slice(0, place), cell, ...others.slice(place)];
  }

  /** Throws if there is no such cell. */
  find(id: string): EditableCell {
    const cell = this.cells.value.find((one) => one.id === id);
    if (cell === undefined) throw new Error(`there is no cell ${id}`);
    return cell;
  }

  get kept(): KeptCell[] {
    return this.cells.value.map(({ id, request }) => ({ id, request: request.value }));
  }

  #insert(id: string, request: WrittenRequest, place: number): Cell {
    this.#count = Math.max(this.#count, Number(/^c(\d+)$/.exec(id)?.[1] ?? 0));
    const exchanges = computed(() => this.#exchanges.value.filter((exchange) => exchange.cell === id));
    const cell: EditableCell = { id, request: signal(request), exchanges };
    const cells = this.cells.value;
    this.cells.value = [...cells.slice(0, place), cell, ...cells.slice(place)];
    return cell;
  }
}

interface EditableCell extends Cell {
  readonly request: Signal<WrittenRequest>;
}
