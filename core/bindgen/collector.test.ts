// Tests that a collection in slices frees nothing that is in use, and all that is not, while references change.

import { beforeAll, describe, expect, test } from "vitest";
import type { CompiledComponent, ComponentInstance } from "../../hosts/driver/index.js";
import { type Echo, openFixture, readFixture } from "./fixtures/component.js";

type Exports = Record<string, Echo>;

interface Door {
  make(id: number): void;
  take(path: Uint8Array): void;
  put(path: Uint8Array, place: number): void;
  empty(path: Uint8Array, place: number): void;
  letGo(): void;
  splice(path: Uint8Array): void;
  stretch(path: Uint8Array, by: number): void;
  moveBytes(value: number, length: number): void;
  shown(): string;
  nodes(): number;
  collect(): void;
  collectSlice(most: number): boolean;
  snapshot(): Uint8Array;
  restore(snapshot: Uint8Array): void;
  keep(secret: { word: string; other: string }, note: string): void;
  drop(): void;
}

/** In everything.wit. */
const LAST = "restore: func(snapshot: list<u8>);";

let compiled: CompiledComponent<unknown, Exports>;

beforeAll(async () => {
  const [everything, graph] = await Promise.all([readFixture("everything"), readFixture("graph")]);
  const wit = everything.wit.replace(LAST, () => `${LAST}\n${graph.wit}`);
  compiled = await openFixture({ wit, source: `${graph.source}\n${everything.source}` });
});

interface Opened extends Pick<ComponentInstance<Exports>, "collectAndWipe" | "sliceWork"> {
  door: Door;
}

function open(): Opened {
  const { exports, ...instance } = compiled.instantiate({ "fixture:all/echo": ECHO });
  return { ...instance, door: exports["door"] as unknown as Door };
}

/** Nothing of it is called. */
const ECHO = Object.fromEntries(
  ["giveNumbers", "giveWords", "giveLists", "giveOptions", "giveShape", "number"].map((name) => [
    name,
    () => undefined,
  ]),
);

const PLACES = [0, 1, 2, 3];

/** The same graph as the fixture's, in this program. */
interface Node {
  id: number;
  fields: [Node | null, Node | null];
  many: Node[];
  named: Node | null;
  text: number;
}

function node(id: number): Node {
  return { id, fields: [null, null], many: [], named: null, text: 0 };
}

/** Changes the fixture's graph and its own in the same random way. */
class Changes {
  readonly #root = node(0);
  #hand: Node | null = null;
  #ids = 0;

  constructor(
    readonly door: Door,
    readonly random: () => number,
  ) {}

  next(): void {
    const { path, at } = this.#anywhere();
    const bytes = Uint8Array.from(path);
    const place = this.upTo(4);
    const change = this.upTo(12);
    if (change < 3 || this.#hand === null) this.#make();
    else if (change < 7) this.#put(bytes, at, place);
    else if (change < 8) this.#take(bytes, at);
    else if (change < 9) this.#drop(bytes, at, place);
    else if (change < 10) this.#splice(bytes, at);
    else if (change < 11) this.#stretch(bytes, at);
    else this.#letGo();
  }

  /** As the fixture prints it. */
  shown(): string {
    const lines = this.#hand === null ? [] : [`hand ${this.#hand.id}`];
    return [...lines, ...this.#reached().map(line)].join("\n");
  }

  get count(): number {
    return this.#reached().length;
  }

  upTo(end: number): number {
    return Math.floor(this.random() * end);
  }

  #reached(): Node[] {
    const all = new Set<Node>([this.#root]);
    if (this.#hand !== null) all.add(this.#hand);
    for (const one of all) for (const other of references(one)) all.add(other);
    return [...all];
  }

  #anywhere(): { path: number[]; at: Node } {
    const path: number[] = [];
    let at = this.#root;
    for (let left = this.upTo(12); left > 0; left--) {
      const ways = PLACES.filter((place) => inPlace(at, place) !== null);
      if (ways.length === 0) break;
      const place = ways[this.upTo(ways.length)]!;
      path.push(place);
      at = inPlace(at, place)!;
    }
    return { path, at };
  }

  #make(): void {
    this.#hand = node(++this.#ids);
    this.door.make(this.#ids);
  }

  #take(path: Uint8Array, at: Node): void {
    this.#hand = at;
    this.door.take(path);
  }

  #put(path: Uint8Array, at: Node, place: number): void {
    if (place < 2) at.fields[place] = this.#hand;
    else if (place === 2) at.many.push(this.#hand!);
    else at.named = this.#hand;
    this.door.put(path, place);
  }

  #drop(path: Uint8Array, at: Node, place: number): void {
    if (inPlace(at, place) === null) return;
    if (place < 2) at.fields[place] = null;
    else if (place === 2) at.many.pop();
    else at.named = null;
    this.door.empty(path, place);
  }

  #splice(path: Uint8Array, at: Node): void {
    at.many = at.many.slice(1);
    this.door.splice(path);
  }

  #stretch(path: Uint8Array, at: Node): void {
    const by = this.upTo(300);
    at.text += by;
    this.door.stretch(path, by);
  }

  #letGo(): void {
    this.#hand = null;
    this.door.letGo();
  }
}

function inPlace(at: Node, place: number): Node | null {
  if (place < 2) return at.fields[place]!;
  return place === 2 ? (at.many.at(-1) ?? null) : at.named;
}

function references({ fields, many, named }: Node): Node[] {
  return [...fields, ...many, named].filter((one) => one !== null);
}

function line({ id, fields: [left, right], many, named, text }: Node): string {
  const of = (one: Node | null): string => String(one?.id ?? "-");
  return `${id} ${of(left)} ${of(right)} [${many.map(({ id }) => id).join(",")}] ${of(named)} ${text}`;
}

/** Numbers from 0 to 1 that look random (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function finish(door: Door, most = 20): void {
  while (!door.collectSlice(most));
}

describe("a graph that changes between slices", () => {
  test.each(Array.from({ length: 20 }, (_, at) => at + 1))("stays whole, and its garbage goes (seed %i)", (seed) => {
    const { door } = open();
    const random = randomFrom(seed);
    const changes = new Changes(door, random);
    const most = 1 + changes.upTo(60);
    for (let i = 0; i < 1500; i++) {
      changes.next();
      if (changes.upTo(3) > 0) door.collectSlice(changes.upTo(most));
      if (i % 25 === 0) expect(door.shown()).toBe(changes.shown());
    }
    finish(door);
    finish(door);
    expect(door.shown()).toBe(changes.shown());
    expect(door.nodes()).toBe(changes.count);
  });

  test("stays whole when every slice ends at once", () => {
    const { door } = open();
    const changes = new Changes(door, randomFrom(99));
    for (let i = 0; i < 20_000; i++) {
      changes.next();
      door.collectSlice(1);
    }
    expect(door.shown()).toBe(changes.shown());
    expect(changes.count).toBeGreaterThan(50);
  });
});

describe("a whole collection in the middle of a cycle", () => {
  test.each([1, 40, 100, 150, 200, 300, 500])("frees all garbage (after work of %i)", (most) => {
    const { door } = open();
    const changes = new Changes(door, randomFrom(most));
    for (let i = 0; i < 500; i++) changes.next();
    door.collectSlice(most);
    for (let i = 0; i < 50; i++) changes.next();
    door.collect();
    expect(door.shown()).toBe(changes.shown());
    expect(door.nodes()).toBe(changes.count);
  });

  test("comes with a snapshot, and its instance and the one that restores it go on alike", () => {
    const [one, two] = [open().door, open().door];
    const changes = new Changes(one, randomFrom(5));
    for (let i = 0; i < 500; i++) changes.next();
    for (let i = 0; i < 30; i++) {
      one.collectSlice(20 * i);
      two.restore(one.snapshot());
      for (const door of [one, two]) {
        door.make(10_000 + i);
        door.put(new Uint8Array(), 2);
        for (let at = 0; at < i; at++) door.collectSlice(10);
      }
      expect(two.shown()).toBe(one.shown());
      expect(Buffer.compare(two.snapshot(), one.snapshot())).toBe(0);
    }
  });
});

/** A list of so many nodes is the largest object. */
const LISTED = 100;

test("a slice does no more than it is told, apart from the rest of one object or of the globals", () => {
  const { door, sliceWork } = open();
  const globals = 300;
  for (let list = 0; list < 40; list++) {
    door.make(list);
    door.put(new Uint8Array(list), 0);
    for (let id = 0; id < LISTED; id++) {
      door.make(id);
      door.put(new Uint8Array(list + 1), 2);
    }
  }
  for (const most of [1, 100, 1000]) {
    let slices = 1;
    for (; !door.collectSlice(most); slices++) expect(sliceWork()).toBeLessThan(most + Math.max(globals, LISTED + 10));
    expect(slices).toBeGreaterThan((40 * LISTED) / (most + globals));
  }
});

test("what slices free is wiped", () => {
  const { door, collectAndWipe } = open();
  const memory = collectAndWipe();
  const word = "open sesame";
  const held = (): boolean => Buffer.from(memory()).includes(word, 0, "utf16le");
  door.keep({ word, other: "" }, "note");
  finish(door);
  expect(held()).toBe(true);
  door.drop();
  finish(door);
  finish(door);
  expect(held()).toBe(false);
});

test.each([20, 300, 5000])("nothing stays where %i bytes were before they moved", (length) => {
  const { door, collectAndWipe } = open();
  const memory = collectAndWipe();
  door.moveBytes(0xa7, length);
  // Fewer may be part of the code.
  expect(Buffer.from(memory()).includes(Buffer.alloc(8, 0xa7))).toBe(false);
});
