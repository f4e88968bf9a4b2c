// What a record must look like to be read: its members, their types and their ranges. Whoever reads one of that shape
// meets with no surprise; what has not the shape is damaged, and set aside.

import { asI64, isI64, Json, JsonKind } from "../json/json";

enum Kind {
  Text,
  Bool,
  Number,
  /** A list of texts. */
  Texts,
  /** An object of texts. */
  TextMap,
  /** An object of any members. */
  Document,
  Shape,
  /** A list of that shape. */
  Shapes,
}

class Member {
  least: i64 = i64.MIN_VALUE;
  most: i64 = i64.MAX_VALUE;
  shape: Shape | null = null;

  constructor(
    readonly name: string,
    readonly kind: Kind,
  ) {}
}

export class Shape {
  private readonly members: Member[] = [];

  /** `optional`: members may be missing. */
  constructor(private readonly optional: bool = false) {}

  /** Names of members, apart by blanks. */
  texts(names: string): Shape {
    return this.each(names, Kind.Text);
  }

  bools(names: string): Shape {
    return this.each(names, Kind.Bool);
  }

  /** Integers of 64 bits. */
  numbers(names: string): Shape {
    return this.each(names, Kind.Number);
  }

  number(name: string, least: i64, most: i64): Shape {
    const member = new Member(name, Kind.Number);
    member.least = least;
    member.most = most;
    return this.add(member);
  }

  textList(name: string): Shape {
    return this.add(new Member(name, Kind.Texts));
  }

  textMap(name: string): Shape {
    return this.add(new Member(name, Kind.TextMap));
  }

  document(name: string): Shape {
    return this.add(new Member(name, Kind.Document));
  }

  part(name: string, shape: Shape): Shape {
    const member = new Member(name, Kind.Shape);
    member.shape = shape;
    return this.add(member);
  }

  list(name: string, shape: Shape): Shape {
    const member = new Member(name, Kind.Shapes);
    member.shape = shape;
    return this.add(member);
  }

  /** What a value lacks of this shape; empty if nothing. */
  problem(value: Json): string {
    if (!value.isObject) return "it is no object";
    for (let i = 0; i < this.members.length; i++) {
      const member = this.members[i];
      const found = value.entry(member.name);
      if (found === null && this.optional) continue;
      if (found === null) return `${member.name} is missing`;
      const problem = problemOf(found, member);
      if (problem.length > 0) return `${member.name}: ${problem}`;
    }
    return "";
  }

  private each(names: string, kind: Kind): Shape {
    const all = names.split(" ");
    for (let i = 0; i < all.length; i++) this.members.push(new Member(all[i], kind));
    return this;
  }

  private add(member: Member): Shape {
    this.members.push(member);
    return this;
  }
}

function problemOf(value: Json, member: Member): string {
  switch (member.kind) {
    case Kind.Text:
      return value.isString ? "" : "it is no text";
    case Kind.Bool:
      return value.kind == JsonKind.Bool ? "" : "it is neither true nor false";
    case Kind.Number:
      return numberProblem(value, member);
    case Kind.Texts:
      return value.isArray && allTexts(value) ? "" : "it is no list of texts";
    case Kind.TextMap:
      return value.isObject && allTexts(value) ? "" : "it is no object of texts";
    case Kind.Document:
      return value.isObject ? "" : "it is no object";
    case Kind.Shape:
      return member.shape!.problem(value);
    default:
      return listProblem(value, member.shape!);
  }
}

function numberProblem(value: Json, member: Member): string {
  if (!isI64(value)) return "it is no integer";
  const number = asI64(value);
  return number < member.least || number > member.most ? `${value.text} makes no sense` : "";
}

function allTexts(value: Json): bool {
  for (let i = 0; i < value.items.length; i++) if (!value.items[i].isString) return false;
  return true;
}

function listProblem(value: Json, shape: Shape): string {
  if (!value.isArray) return "it is no list";
  for (let i = 0; i < value.items.length; i++) {
    const problem = shape.problem(value.items[i]);
    if (problem.length > 0) return problem;
  }
  return "";
}
