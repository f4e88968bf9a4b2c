// A set of code points: what matches one character in a regular expression.

export class CharClass {
  /** Pairs of bounds, both inclusive, in no particular order. */
  private bounds: i32[] = [];
  private negated: bool = false;
  private folded: bool = false;

  static of(point: i32): CharClass {
    return new CharClass().add(point, point);
  }

  /** The class of `\d`, `\W` and so on; null for any other letter. */
  static escaped(letter: i32): CharClass | null {
    const lower = letter | 0x20;
    const chars = new CharClass();
    if (!chars.addEscaped(lower)) return null;
    return letter == lower ? chars : chars.negate();
  }

  add(low: i32, high: i32): CharClass {
    this.bounds.push(low);
    this.bounds.push(high);
    return this;
  }

  /** Adds `d`, `s` or `w`; false for any other letter. */
  addEscaped(letter: i32): bool {
    switch (letter) {
      case 0x64:
        this.add(0x30, 0x39);
        return true;
      case 0x73:
        this.add(0x09, 0x0a).add(0x0c, 0x0d).add(0x20, 0x20);
        return true;
      case 0x77:
        this.add(0x30, 0x39).add(0x41, 0x5a).add(0x5f, 0x5f).add(0x61, 0x7a);
        return true;
      default:
        return false;
    }
  }

  /** Adds the complement of `d`, `s` or `w`. */
  addComplement(letter: i32): bool {
    if (letter == 0x64) this.add(0, 0x2f).add(0x3a, LAST);
    else if (letter == 0x73) this.add(0, 0x08).add(0x0b, 0x0b).add(0x0e, 0x1f).add(0x21, LAST);
    else if (letter == 0x77) this.add(0, 0x2f).add(0x3a, 0x40).add(0x5b, 0x5e).add(0x60, 0x60).add(0x7b, LAST);
    else return false;
    return true;
  }

  /** Adds a POSIX class such as `alpha`; false if it is unknown. */
  addNamed(name: string): bool {
    if (name == "digit") this.add(0x30, 0x39);
    else if (name == "lower") this.add(0x61, 0x7a);
    else if (name == "upper") this.add(0x41, 0x5a);
    else if (name == "alpha") this.add(0x41, 0x5a).add(0x61, 0x7a);
    else if (name == "alnum") this.add(0x30, 0x39).add(0x41, 0x5a).add(0x61, 0x7a);
    else if (name == "word") this.addEscaped(0x77);
    else if (name == "xdigit") this.add(0x30, 0x39).add(0x41, 0x46).add(0x61, 0x66);
    else if (name == "space") this.add(0x09, 0x0d).add(0x20, 0x20);
    else if (name == "blank") this.add(0x09, 0x09).add(0x20, 0x20);
    else if (name == "cntrl") this.add(0, 0x1f).add(0x7f, 0x7f);
    else if (name == "graph") this.add(0x21, 0x7e);
    else if (name == "print") this.add(0x20, 0x7e);
    else if (name == "punct") this.add(0x21, 0x2f).add(0x3a, 0x40).add(0x5b, 0x60).add(0x7b, 0x7e);
    else if (name == "ascii") this.add(0, 0x7f);
    else return false;
    return true;
  }

  negate(): CharClass {
    this.negated = !this.negated;
    return this;
  }

  /** Ignores the case of ASCII letters. */
  fold(): CharClass {
    this.folded = true;
    return this;
  }

  has(point: i32): bool {
    if (this.listed(point)) return !this.negated;
    if (!this.folded) return this.negated;
    const lower = point | 0x20;
    const letter = lower >= 0x61 && lower <= 0x7a;
    return (letter && this.listed(point ^ 0x20)) != this.negated;
  }

  private listed(point: i32): bool {
    for (let i = 0; i < this.bounds.length; i += 2) {
      if (point >= unchecked(this.bounds[i]) && point <= unchecked(this.bounds[i + 1])) return true;
    }
    return false;
  }
}

const LAST: i32 = 0x10ffff;
