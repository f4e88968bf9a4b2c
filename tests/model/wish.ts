// The object that a request creates, as far as the model needs it: read from the body and the query.
import type { Wish } from "./container.js";
import { type Read, jsonOf, withTag } from "./request.js";

/** The name of a container, without its leading slash. */
export function newName({ query }: Read): string {
  return (query.get("name") ?? "").replace(/^\//, "");
}

/** The name that a request may add or remove; null if there is none. */
export function imageOf({ noun, verb, ref, query }: Read): string | null {
  if (verb === "commit") return query.get("repo") === null ? null : withTag(query.get("repo")!);
  if (noun !== "images") return null;
  // All archives in these tests contain it.
  if (verb === "load") return "busybox:latest";
  if (verb === "build") return query.get("t") === null ? null : withTag(query.get("t")!);
  if (verb === "tag") return withTag(`${query.get("repo") ?? ""}:${query.get("tag") ?? "latest"}`);
  if (verb === "create" && query.get("fromImage") === null) return importedAs(query);
  if (verb === "create") return withTag(`${query.get("fromImage") ?? ""}:${query.get("tag") ?? "latest"}`);
  return verb === "remove" || verb === "force" ? withTag(ref) : null;
}

/** The name that an import gives; null without one. */
function importedAs(query: URLSearchParams): string | null {
  const repository = query.get("repo");
  return repository === null ? null : withTag(`${repository}:${query.get("tag") ?? "latest"}`);
}

/** For a container whose creation was not seen. */
export const ANY: Wish = {
  ...{ ports: [], links: [], network: "", image: "", runtime: "" },
  ...{ autoRemove: true, policy: "always", maximum: 0, isFragile: true },
};

const PLAIN = ["NetworkMode", "AutoRemove", "RestartPolicy", "Memory"];

/** The requested settings of a new container. */
export function wishOf(body: string | null): Wish {
  const json = jsonOf(body);
  const host = (json?.["HostConfig"] ?? {}) as Record<string, unknown>;
  const policy = (host["RestartPolicy"] ?? {}) as { Name?: string; MaximumRetryCount?: number };
  const isPlain =
    json !== null && Object.keys(host).every((key) => PLAIN.includes(key)) && json["Volumes"] === undefined;
  return {
    ports: portsOf(host["PortBindings"]),
    links: linksOf(host["Links"]),
    network: String(host["NetworkMode"] ?? ""),
    runtime: String(host["Runtime"] ?? ""),
    autoRemove: host["AutoRemove"] === true,
    policy: policy.Name ?? "",
    maximum: policy.Name === "on-failure" ? (policy.MaximumRetryCount ?? 0) : 0,
    isFragile:
      !isPlain ||
      !isJob(json?.["Cmd"]) ||
      (body?.length ?? 0) > MOST ||
      !ALWAYS_THERE.includes(String(host["NetworkMode"])) ||
      (host["AutoRemove"] === true && policy.Name !== undefined),
    image: withTag(String(json?.["Image"] ?? "")),
  };
}

/** Other networks may not exist when the container starts. */
const ALWAYS_THERE = ["none", "bridge", "host"];

/** Largest size of a body that is parsed. */
const MOST = 4 * 1024 * 1024;

/** Other images may not exist or not be executable. */
function isJob(command: unknown): boolean {
  return command === undefined || (Array.isArray(command) && command[0] === "job");
}

/** Names of other containers, as they were at its creation. */
function linksOf(links: unknown): string[] {
  return Array.isArray(links) ? links.map((link) => String(link).replace(/^\/|:.*$/g, "")) : [];
}

/** The machine's ports that it requests by number. */
function portsOf(bindings: unknown): string[] {
  const lists = typeof bindings === "object" && bindings !== null ? (Object.values(bindings) as unknown[]) : [];
  return lists
    .flatMap((list) => (Array.isArray(list) ? list.map((one: { HostPort?: string }) => one?.HostPort ?? "") : []))
    .filter((port) => port !== "");
}
