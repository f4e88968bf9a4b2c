// Commands about images.

import type { Arguments } from "../arguments.js";
import { printedAs } from "../format.js";
import {
  each,
  fieldOf,
  filterText,
  get,
  image,
  listOf,
  one,
  post,
  pulling,
  reference,
  remove,
  platformOf,
} from "../planned.js";
import { query } from "../query.js";
import { idOf, listed, momentAt, sizeText, type Columns, type Row } from "../rows.js";
import { Wrong } from "../wrong.js";

export const LIST = one({
  operands: "[REPOSITORY[:TAG]]",
  about: "List images",
  takes: {
    flags: ["all,a", "quiet,q", "digests", "no-trunc", "tree"],
    values: ["filter,f", "format"],
    most: 1,
    since: { tree: "1.47" },
  },
  names: "image",
  plan: (args) => {
    const [pattern] = args.operands;
    const filters = filterText([...args.values("filter"), ...(pattern === undefined ? [] : [`reference=${pattern}`])]);
    const wishes = { all: args.flag("all"), filters, manifests: args.flag("tree") };
    return get(`/images/json${query(wishes)}`, "list images");
  },
  prints: (args, [answer]) =>
    listed(
      args,
      listOf(answer).flatMap((one) => rowsOf(args, one)),
      COLUMNS,
      "ID",
    ),
});

const COLUMNS: Columns = [
  ["REPOSITORY", "Repository"],
  ["TAG", "Tag"],
  ["IMAGE ID", "ID"],
  ["CREATED", "CreatedAt"],
  ["SIZE", "Size"],
];

/** One row for each name. */
function rowsOf(args: Arguments, found: unknown): Row[] {
  const names = (found as { RepoTags?: readonly string[] | null }).RepoTags ?? [];
  const shared = {
    ID: idOf(args, fieldOf(found, "Id")),
    CreatedAt: momentAt(fieldOf(found, "Created")),
    Size: sizeText(fieldOf(found, "Size")),
  };
  return (names.length > 0 ? names : ["<none>:<none>"]).map((name) => {
    const colon = name.lastIndexOf(":");
    return { Repository: name.slice(0, colon), Tag: name.slice(colon + 1), ...shared };
  });
}

export const PULL = one({
  operands: "IMAGE",
  about: "Pull an image from its registry",
  takes: { flags: ["all-tags,a", "quiet,q", "disable-content-trust"], values: ["platform"], least: 1 },
  names: "image",
  plan: (args) => pulling(args.operands[0]!, args.value("platform"), args.flag("all-tags")),
});

export const PUSH = one({
  operands: "IMAGE",
  about: "Push an image to its registry",
  takes: {
    flags: ["all-tags,a", "quiet,q", "disable-content-trust"],
    values: ["platform"],
    least: 1,
    since: { platform: "1.46" },
  },
  names: "image",
  plan: (args) => {
    const { repository, tag } = reference(args.operands[0]!);
    const wanted = args.flag("all-tags") ? null : (tag ?? "latest");
    const platform = platformOf(args.value("platform"));
    return post(`${image(repository)}/push${query({ tag: wanted, platform })}`, `push ${args.operands[0]}`);
  },
});

export const TAG = one({
  operands: "IMAGE NAME[:TAG]",
  about: "Give an image another name",
  takes: { least: 2 },
  names: "image",
  plan: ({ operands: [from = "", to = ""] }) => {
    const { repository, tag } = reference(to);
    const wishes = query({ repo: repository, tag: tag ?? "latest" });
    return post(`${image(from)}/tag${wishes}`, `give ${from} another name`);
  },
});

export const REMOVE = each({
  about: "Remove names of images, and images without a name",
  takes: { flags: ["force,f", "no-prune"], values: ["platform"], since: { platform: "1.50" } },
  names: "image",
  plan: (name, args) => {
    const wishes = {
      force: args.flag("force"),
      noprune: args.flag("no-prune"),
      platforms: platformOf(args.value("platform")),
    };
    return remove(`${image(name)}${query(wishes)}`, `remove ${name}`);
  },
});

export const INSPECT = each({
  about: "Show details of images",
  prints: (args, answers) => printedAs(args.value("format"), answers),
  takes: { values: ["format,f", "platform"], since: { platform: "1.49" } },
  names: "image",
  plan: (name, args) =>
    get(`${image(name)}/json${query({ platform: platformOf(args.value("platform")) })}`, `inspect ${name}`),
});

export const HISTORY = one({
  operands: "IMAGE",
  about: "List the layers of an image and the commands that made them",
  takes: {
    flags: ["human,H", "no-trunc", "quiet,q"],
    values: ["format", "platform"],
    least: 1,
    since: { platform: "1.48" },
  },
  names: "image",
  plan: (args) =>
    get(
      `${image(args.operands[0]!)}/history${query({ platform: platformOf(args.value("platform")) })}`,
      "list its layers",
    ),
});

export const SEARCH = one({
  operands: "WORD",
  about: "Search a registry for images",
  takes: { flags: ["no-trunc"], values: ["limit", "filter,f", "format"], least: 1 },
  plan: (args) => {
    const wishes = { term: args.operands[0]!, limit: args.value("limit"), filters: filterText(args.values("filter")) };
    return get(`/images/search${query(wishes)}`, "search for images");
  },
});

export const COMMIT = one({
  operands: "CONTAINER [NAME[:TAG]]",
  about: "Save the changes of a container as an image",
  takes: { flags: ["pause,p"], values: ["author,a", "message,m", "change,c"], least: 1, most: 2 },
  names: "container",
  plan: (args) => post(`/commit${commitQuery(args)}`, "save its changes as an image"),
  prints: (_args, [answer]) => fieldOf(answer, "Id"),
});

function commitQuery(args: Arguments): string {
  const { repository, tag } = reference(args.operands[1] ?? "");
  const named = { container: args.operands[0]!, repo: repository || null, tag: repository ? (tag ?? "latest") : null };
  const told = { author: args.value("author"), comment: args.value("message"), changes: args.values("change") };
  return query({ ...named, ...told, pause: args.has("pause") && !args.flag("pause") ? "0" : null });
}

export const SAVE = one({
  operands: "IMAGE [IMAGE...]",
  about: "Save images as a tar archive",
  takes: { values: ["output,o", "platform"], least: 1, most: Number.POSITIVE_INFINITY, since: { platform: "1.48" } },
  names: "image",
  plan: (args) =>
    get(
      `/images/get${query({ names: args.operands, platform: platformOf(args.value("platform")) })}`,
      "save them as a tar archive",
    ),
});

export const LOAD = one({
  operands: "",
  about: "Load images from a tar archive made by docker save",
  takes: { flags: ["quiet,q"], values: ["input,i", "platform"], since: { platform: "1.48" } },
  plan: () => {
    throw new Wrong("the page has no local files to load: POST /images/load takes an archive as its body", "load");
  },
});

export const IMPORT = one({
  operands: "URL [NAME[:TAG]]",
  about: "Make an image from a tar archive of files",
  takes: { values: ["change,c", "message,m", "platform"], least: 1, most: 2 },
  plan: (args) => {
    const [source = "", name = null] = args.operands;
    if (!/^https?:\/\//.test(source))
      throw new Wrong("the page has no local files to import, but you can give a URL", source);
    const told = { message: args.value("message"), changes: args.values("change"), platform: args.value("platform") };
    return post(`/images/create${query({ fromSrc: source, repo: name, ...told })}`, "make an image from the archive");
  },
});
