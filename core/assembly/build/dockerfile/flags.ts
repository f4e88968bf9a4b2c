// The flags in front of an instruction's arguments: `COPY --from=build /a /b`.

import { TextBuilder } from "../../text/builder";
import { afterSpace, isSpace, trimSpace } from "../../text/space";

const DASH: i32 = 0x2d;
const BACKSLASH: i32 = 0x5c;

/** The flags, and the text after them. */
export class SplitFlags {
  constructor(
    readonly flags: string[],
    readonly rest: string,
  ) {}
}

/** Flags lose their quotes and backslashes. `--` ends them, and is no argument. */
export function splitFlags(text: string): SplitFlags {
  const flags: string[] = [];
  let at = afterSpace(text, 0);
  while (isFlagAt(text, at)) {
    const flag = new FlagWord(text, at);
    at = flag.end;
    if (flag.word == "--") break;
    if (flag.word.length > 0) flags.push(flag.word);
    at = afterSpace(text, at);
  }
  return new SplitFlags(flags, trimSpace(text.slice(at)));
}

function isFlagAt(text: string, at: i32): bool {
  return at + 1 < text.length && text.charCodeAt(at) == DASH && text.charCodeAt(at + 1) == DASH;
}

// The escape character of the file makes no difference here, as in Docker.
class FlagWord {
  end: i32;
  word: string;

  constructor(text: string, from: i32) {
    const word = new TextBuilder();
    let quote = 0;
    let at = from;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (quote == 0 && isSpace(unit)) break;
      if (unit == BACKSLASH) {
        if (++at < text.length) word.unit(text.charCodeAt(at));
      } else if (quote == 0 && (unit == 0x22 || unit == 0x27)) {
        quote = unit;
      } else if (unit == quote) {
        quote = 0;
      } else {
        word.unit(unit);
      }
    }
    this.end = min(at, text.length);
    this.word = word.toString();
  }
}
