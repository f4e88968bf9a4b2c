// A request template for a chosen endpoint, filled with names that exist in the world.

import type { Endpoint } from "../../reference/reference.js";
import { jsonText } from "../../session/view/json-text.js";
import { FIRST_FILES } from "../../session/folder.js";
import { withFiles, type TextFile, type WrittenRequest } from "../../session/request.js";
import type { World } from "../../../timeline/index.js";

/** The usual query and body of an endpoint, where its description requires less or shows too much. */
interface Start {
  query?: Readonly<Record<string, string>>;
  body?: object;
  /** For a tar as the body. */
  files?: readonly TextFile[];
}

const STARTS: Readonly<Record<string, (names: Names) => Start>> = {
  "POST /containers/create": ({ image }) => ({ body: { Image: image, Cmd: ["echo", "hello"] } }),
  "GET /containers/{id}/logs": () => ({ query: { stdout: "1", stderr: "1" } }),
  "POST /containers/{id}/attach": () => ({ query: { stream: "1", stdout: "1", stderr: "1" } }),
  "POST /images/create": () => ({ query: { fromImage: "alpine", tag: "latest" } }),
  "POST /images/{name}/tag": () => ({ query: { repo: "mine", tag: "1" } }),
  "POST /build": () => ({ query: { t: "mine" }, files: FIRST_FILES }),
  "PUT /containers/{id}/archive": () => ({ query: { path: "/" }, files: [{ name: "note", text: "hello\n" }] }),
  "POST /commit": ({ container }) => ({ query: { container, repo: "mine", tag: "1" }, body: {} }),
};

interface Names {
  container: string;
  image: string;
  network: string;
  volume: string;
}

/** `version`: the API version to use, such as `1.41`. */
export function draft(endpoint: Endpoint, version: string, world: World): WrittenRequest {
  const names = namesIn(world);
  const start = STARTS[`${endpoint.method} ${endpoint.path}`]?.(names) ?? {};
  const query = new URLSearchParams();
  for (const one of endpoint.parameters) {
    if (one.in === "query" && one.mandatory) query.set(one.name, String(one.example ?? one.default ?? ""));
  }
  for (const [name, value] of Object.entries(start.query ?? {})) query.set(name, value);
  const search = query.size > 0 ? `?${query}` : "";
  const target = `/v${version}${pathOf(endpoint.path, names)}${search}`;
  if (start.files !== undefined) return withFiles(endpoint.method, target, start.files);
  const body = endpoint.body && (start.body ?? endpoint.example);
  return {
    method: endpoint.method,
    target,
    headers: endpoint.body ? [["Content-Type", "application/json"]] : [],
    body: body === undefined ? "" : jsonText(body),
  };
}

/** The newest name of each kind, or a likely name if there is none. */
function namesIn({ containers, images, volumes }: World): Names {
  return {
    container: containers.at(-1)?.name ?? "NAME",
    image: images.findLast(({ tags }) => tags.length > 0)?.tags[0]?.replace(/:latest$/, "") ?? "busybox",
    network: "bridge",
    volume: volumes.at(-1)?.name ?? "NAME",
  };
}

/** Other names, such as an exec's id, stay as in the description. */
function pathOf(template: string, names: Names): string {
  const kind = (["container", "image", "network", "volume"] as const).find((one) => template.startsWith(`/${one}s/{`));
  return template.replace(/\{(\w+)\}/g, (_, name: string) => (kind === undefined ? name : names[kind]));
}
