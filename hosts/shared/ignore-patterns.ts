// Which files of a context a build does not see, by the patterns of its `.dockerignore`. The core reads the file
// (core/assembly/build/ignore), and matches in the same way; the same table of cases tests both.

/** One of these, or a predicate for a class, matches a piece of a path. Other tokens are a character. */
const ANY = "?";
const SEGMENT = "*";
const REST = "**";
const SKIP = "skip";
const DIRECTORIES = "**/";

type Token = string | { readonly code: number } | { readonly has: (code: number) => boolean };

const SLASH = 0x2f;

export class IgnorePatterns {
  readonly #patterns: readonly { exception: boolean; pattern: Pattern }[];

  /** `texts`: valid, relative and cleaned, in the order of the file, as the core gives them; `!` is an exception. */
  constructor(texts: readonly string[]) {
    this.#patterns = texts.map((text) => {
      const exception = text.startsWith("!");
      return { exception, pattern: new Pattern(exception ? text.slice(1) : text) };
    });
  }

  /**
   * Whether a build does not see the file. `path`: from the context's root, without a slash at either end. A directory
   * that is ignored exists all the same if something in it is not.
   */
  ignores(path: string): boolean {
    let ignored = false;
    for (const { exception, pattern } of this.#patterns) {
      if (exception === ignored && pattern.matches(path)) ignored = !ignored;
    }
    return ignored;
  }
}

/** Follows all ways to match at once, so that no pattern takes longer than the product of both lengths. */
class Pattern {
  readonly #tokens: readonly Token[];
  #now: Uint8Array;
  #later: Uint8Array;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
    this.#now = new Uint8Array(this.#tokens.length + 1);
    this.#later = new Uint8Array(this.#tokens.length + 1);
  }

  /** Whether it matches the path, or a directory above it. */
  matches(path: string): boolean {
    const end = this.#tokens.length;
    this.#now.fill(0);
    this.#enter(this.#now, 0);
    for (let i = 0; i < path.length; i++) {
      const code = path.charCodeAt(i);
      if (code === SLASH && this.#now[end] === 1) return true;
      this.#later.fill(0);
      for (let at = 0; at < end; at++) if (this.#now[at] === 1) this.#step(at, code);
      [this.#now, this.#later] = [this.#later, this.#now];
    }
    return this.#now[end] === 1;
  }

  #step(at: number, code: number): void {
    const token = this.#tokens[at]!;
    if (token === REST || (token === SEGMENT && code !== SLASH)) {
      this.#enter(this.#later, at);
    } else if (token === DIRECTORIES) {
      this.#later[at] = 1;
      if (code === SLASH) this.#enter(this.#later, at + 1);
    } else if (takes(token, code)) {
      this.#enter(this.#later, at + 1);
    }
  }

  /** Notes a token as a possible next one, and those behind it if it needs no character. */
  #enter(possible: Uint8Array, first: number): void {
    for (let at = first; possible[at] === 0; at++) {
      possible[at] = 1;
      const token = this.#tokens[at];
      if (token === SKIP) possible[++at] = 1;
      else if (token !== SEGMENT && token !== REST) return;
    }
  }
}

function takes(token: Token, code: number): boolean {
  if (typeof token === "string") return token === ANY && code !== SLASH;
  return "has" in token ? token.has(code) : token.code === code;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const [, stars, rest, members, character] = PIECE.exec(text.slice(at))!;
    const piece = (stars ?? rest ?? members ?? character)!;
    if (piece === "**" || piece === "**/") {
      const left = text.slice(at + piece.length);
      // In front of an ordinary text without a slash between them, Docker compares only the ends.
      const isRest = left === "" || (at === 0 && piece === "**" && !/[*?[\\]/.test(left));
      tokens.push(...(isRest ? [REST] : [SKIP, DIRECTORIES]));
    } else if (piece === "*" || piece === "?") {
      tokens.push(piece);
    } else if (members !== undefined) {
      tokens.push({ has: classOf(members.slice(1, -1)) });
    } else {
      tokens.push({ code: piece.charCodeAt(piece.length - 1) });
    }
    at += piece.length;
  }
  return tokens;
}

/** Stars; a question mark; a class; one character, perhaps behind a backslash. */
const PIECE = /^(?:(\*\*\/?|\*)|(\?)|(\[\^?(?:\\[^]|[^\]\\])+\])|(\\?[^]))/;

/** `members`: `a-z0-9` or `^a-z`. A class may match a slash, as in Docker. */
function classOf(members: string): (code: number) => boolean {
  const isNegated = members.startsWith("^");
  const ends = [...(isNegated ? members.slice(1) : members).matchAll(/(\\?[^])(?:-(\\?[^]))?/g)];
  const ranges = ends.map(([, low, high = low]) => [last(low!), last(high!)] as const);
  return (code) => ranges.some(([low, high]) => low <= code && code <= high) !== isNegated;
}

function last(text: string): number {
  return text.charCodeAt(text.length - 1);
}
