// Prune commands for each kind of object.

import type { PlannedRequest } from "../notation.js";
import type { Arguments, Takes } from "./arguments.js";
import { filterText, filtersOf, one, post, type Command, type Planned } from "./planned.js";
import { query } from "./query.js";
import { bytesOf } from "./container/sizes.js";

const TAKES: Takes = { flags: ["force,f"], values: ["filter"] };
const prune = (folder: string, what: string, filters: string | null): PlannedRequest =>
  post(`/${folder}/prune${query({ filters })}`, `remove ${what}`);

const containers = (args: Arguments): PlannedRequest => prune("containers", "stopped containers", filtersOf(args));
const networks = (args: Arguments): PlannedRequest => prune("networks", "networks without containers", filtersOf(args));
const volumes = (args: Arguments, filters = args.values("filter")): PlannedRequest =>
  prune("volumes", "volumes that no container uses", filterText(filters));
const images = (args: Arguments): PlannedRequest => {
  const filters = [...args.values("filter"), `dangling=${args.flag("all") ? "false" : "true"}`];
  return prune(
    "images",
    args.flag("all") ? "images that no container uses" : "images without a name",
    filterText(filters),
  );
};

function builds(args: Arguments): PlannedRequest {
  const kept = args.value("keep-storage");
  const room = kept === null ? null : String(bytesOf(kept));
  const wishes = { all: args.flag("all"), filters: filtersOf(args), "keep-storage": room };
  return post(`/build/prune${query(wishes)}`, "remove the build cache");
}

export const CONTAINER_PRUNE = one({
  operands: "",
  about: "Remove stopped containers",
  takes: TAKES,
  plan: containers,
});
export const NETWORK_PRUNE = one({
  operands: "",
  about: "Remove networks without containers",
  takes: TAKES,
  plan: networks,
});
export const VOLUME_PRUNE = one({
  operands: "",
  about: "Remove volumes that no container uses",
  takes: { ...TAKES, flags: ["force,f", "all,a"], since: { all: "1.42" } },
  plan: (args) => volumes(args, [...args.values("filter"), ...(args.flag("all") ? ["all=true"] : [])]),
});
export const IMAGE_PRUNE = one({
  operands: "",
  about: "Remove images without a name, or all unused images",
  takes: { ...TAKES, flags: ["force,f", "all,a"] },
  plan: images,
});
export const BUILDER_PRUNE = one({
  operands: "",
  about: "Remove the build cache",
  takes: { flags: ["force,f", "all,a"], values: ["filter", "keep-storage"] },
  plan: builds,
});
export const SYSTEM_PRUNE: Command = {
  operands: "",
  about: "Remove everything that is unused",
  takes: { flags: ["force,f", "all,a", "volumes"], values: ["filter"], most: 0 },
  plan: (args): Planned => ({
    requests: [
      containers(args),
      networks(args),
      ...(args.flag("volumes") ? [volumes(args)] : []),
      images(args),
      builds(args),
    ],
  }),
};
