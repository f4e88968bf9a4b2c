// Named contexts (`--build-context NAME=…`): what a FROM, a `COPY --from` or a `RUN --mount=from` takes instead of an image
// or a stage of that name. Each becomes a stage in front of those of the Dockerfile, whose image has its files.

import { Instruction } from "../dockerfile/instruction";
import { Stage } from "./stage";

/** What has a meaning in a word of an instruction. */
const SPECIAL = "$\"'\\`";
/** What BuildKit calls the file of a web server. */
const FILE = "/context";

export class NamedContext {
  /** The image that it is. Like the next two: empty if it is something else. */
  image: string = "";
  /** The client's name for the directory that has its files. */
  directory: string = "";
  /** Of a git repository, or of a file on a web server. */
  address: string = "";
  isRepository: bool = false;

  /** `name`: in lower case, without the tag `latest`. `shown`: the same with the platform, if it is only for that one. */
  constructor(
    readonly name: string,
    readonly shown: string,
  ) {}

  /** `escape`: the escape character of the Dockerfile. */
  stage(index: i32, escape: i32): Stage {
    const stage = new Stage(index, instruction("FROM", "", []));
    stage.name = this.name;
    stage.context = this.shown;
    stage.directory = this.directory;
    if (this.image != "scratch") stage.image = this.image;
    if (this.directory.length > 0) stage.instructions.push(this.copy());
    if (this.address.length > 0) stage.instructions.push(this.add(escape));
    return stage;
  }

  private copy(): Instruction {
    const copy = instruction("COPY", "load from client", ["/", "/"]);
    // From elsewhere than the build's context: owners stay as they are, and what that hides is not hidden.
    copy.flags.push(`--from=${this.name}`);
    return copy;
  }

  private add(escape: i32): Instruction {
    const address = asWord(this.address, escape);
    return instruction("ADD", this.address, [address, this.isRepository ? "/" : FILE]);
  }
}

/** One that no Dockerfile has. `shown`: to the client. */
function instruction(keyword: string, shown: string, words: string[]): Instruction {
  const made = new Instruction(keyword, keyword, "", shown);
  made.isJson = true;
  made.words = words;
  return made;
}

function asWord(text: string, escape: i32): string {
  let word = "";
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    word += SPECIAL.includes(character) ? String.fromCharCode(escape) + character : character;
  }
  return word;
}
