// Whether an instruction takes files of the context, as far as is known before anything is substituted: where that is not
// known, it counts as if it did.

import { heredocOf } from "../dockerfile/heredocs";
import { Instruction } from "../dockerfile/instruction";
import { mountsContext } from "../evaluation/run-mount";
import { isGitAddress } from "../run/web/git-address";

export function takesContext(instruction: Instruction): bool {
  if (instruction.keyword == "RUN") return mountsAny(instruction.flagValues("mount"));
  const isAdd = instruction.keyword == "ADD";
  if (!isAdd && instruction.keyword != "COPY") return false;
  if (instruction.flag("from").length > 0) return false;
  const words = instruction.words;
  for (let i = 0; i < words.length - 1; i++) {
    const isGiven = !instruction.isJson && heredocOf(words[i]) !== null;
    if (!isGiven && !(isAdd && isAddress(words[i]))) return true;
  }
  return false;
}

function mountsAny(mounts: string[]): bool {
  for (let i = 0; i < mounts.length; i++) if (mountsContext(mounts[i])) return true;
  return false;
}

function isAddress(word: string): bool {
  return word.startsWith("http://") || word.startsWith("https://") || isGitAddress(word);
}
