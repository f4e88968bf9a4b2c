// Remedies for refusals about images and registries.

import { ACCOUNT, PRIVATE } from "../../../simulated/index.js";
import type { Remedy } from "./explain.js";
import { listing, withQuery, words } from "./remedy.js";
import type { Asked } from "./remedy.js";
import { pathOf, written } from "../request.js";

export function noSuchImage({ request, at }: Asked, name: string): Remedy[] {
  const list = listing("List the images", at("/images/json"));
  if (request.method === "DELETE") return [words("Nothing to remove: no image has this name"), list];
  const colon = name.lastIndexOf(":");
  const [repository, tag] =
    colon > name.lastIndexOf("/") ? [name.slice(0, colon), name.slice(colon + 1)] : [name, "latest"];
  const pull = written("POST", at(`/images/create?fromImage=${repository}&tag=${tag}`));
  return [{ label: `Pull ${repository}:${tag}, then send the request again`, requests: [pull, request] }, list];
}

export function withCredentials({ request }: Asked): Remedy[] {
  const isKnown = request.target.includes(PRIVATE);
  const credentials = btoa(JSON.stringify(isKnown ? ACCOUNT : { username: "NAME", password: "PASSWORD" }));
  const others = request.headers.filter(([name]) => name.toLowerCase() !== "x-registry-auth");
  if (pathOf(request) === "/auth") return [words("Use another name or password: the registry does not know this pair")];
  return [
    {
      label: 'Send it with credentials: X-Registry-Auth is base64 of {"username": …, "password": …}',
      requests: [{ ...request, headers: [...others, ["X-Registry-Auth", credentials]] }],
    },
    words("Or the repository does not exist: without access, a registry does not say which"),
  ];
}

export function noSuchTag({ request }: Asked, reference: string): Remedy[] {
  const target = withQuery(request.target, "tag", "latest");
  return [
    {
      label: `Ask for another tag of ${reference.replace(/:[^:/]+$/, "")}: latest`,
      requests: [{ ...request, target }],
    },
  ];
}

export function imageInUse({ request, refusal, at }: Asked, container: string): Remedy[] {
  const remove = written("DELETE", at(`/containers/${container}?force=1`));
  const removal = {
    label: `Remove container ${container} first, then send the request again`,
    requests: [remove, request],
  };
  return /cannot be forced/.test(refusal.message) ? [removal] : [...forced({ request } as Asked), removal];
}

export function forced({ request }: Asked): Remedy[] {
  return [{ label: "Remove it by force", requests: [{ ...request, target: withQuery(request.target, "force", "1") }] }];
}
