// `docker inspect`: tries one kind of object after the other until one has the name.

import type { PlannedRequest } from "../../notation.js";
import type { Arguments } from "../arguments.js";
import { printedAs } from "../format.js";
import { didYouMean } from "../nearest.js";
import { container, get, image, network, volume, type Command, type Planned } from "../planned.js";
import { query } from "../query.js";
import { Wrong } from "../wrong.js";

const KINDS: Readonly<Record<string, (name: string, size: boolean) => string>> = {
  container: (name, size) => `${container(name)}/json${query({ size })}`,
  image: (name) => `${image(name)}/json`,
  network,
  volume,
};

export const INSPECT_ANY: Command = {
  operands: "NAME [NAME...]",
  about: "Show details of any object by its name",
  takes: { flags: ["size,s"], values: ["type", "format,f"], least: 1 },
  names: "container",
  plan,
  prints: (args, answers) => printedAs(args.value("format"), answers),
};

function plan(args: Arguments): Planned {
  const type = args.value("type");
  if (type !== null && KINDS[type] === undefined) {
    throw new Wrong(`--type does not know ${type}${didYouMean(type, Object.keys(KINDS))}`, type);
  }
  const kinds = type === null ? Object.keys(KINDS) : [type];
  const requests = args.operands.flatMap((name) =>
    kinds.map((kind, at): PlannedRequest => {
      const target = KINDS[kind]!(name, args.flag("size"));
      const purpose =
        at === 0 ? `inspect ${name}` : `check whether ${name} is ${kind === "image" ? "an" : "a"} ${kind}`;
      return { ...get(target, purpose), when: at === 0 ? "always" : "absent" };
    }),
  );
  return { requests };
}
