// What a request wants to have made, as far as the model needs to know it: read from its body and its query.
import type { Wish } from "./container.js";
import { type Read, jsonOf, withTag } from "./request.js";

/** Of a container, without the slash that it may begin with. */
export function newName({ query }: Read): string {
  return (query.get("name") ?? "").replace(/^\//, "");
}

/** The name that a request may give or take; null for none. */
export function imageOf({ noun, verb, ref, query }: Read): string | null {
  if (verb === "commit") return query.get("repo") === null ? null : withTag(query.get("repo")!);
  if (noun !== "images") return null;
  // All archives of stories hold that.
  if (verb === "load") return "busybox:latest";
  if (verb === "tag") return withTag(`${query.get("repo") ?? ""}:${query.get("tag") ?? "latest"}`);
  if (verb === "create") return withTag(`${query.get("fromImage") ?? ""}:${query.get("tag") ?? "latest"}`);
  return verb === "remove" || verb === "force" ? withTag(ref) : null;
}

/** Of one whose creation nobody has seen. */
export const ANY: Wish = {
  ...{ ports: [], links: [], network: "", image: "", runtime: "" },
  ...{ autoRemove: true, policy: "always", maximum: 0, isFragile: true },
};

const PLAIN = ["NetworkMode", "AutoRemove", "RestartPolicy", "Memory"];

/** What it says of a container to be created. */
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
      String(host["NetworkMode"]).startsWith("container:") ||
      (host["AutoRemove"] === true && policy.Name !== undefined),
    image: withTag(String(json?.["Image"] ?? "")),
  };
}

/** Bytes of a body that is read. */
const MOST = 4 * 1024 * 1024;

/** Others may not be there, or be no program. */
function isJob(command: unknown): boolean {
  return command === undefined || (Array.isArray(command) && command[0] === "job");
}

/** Names of others, as they were when it was created. */
function linksOf(links: unknown): string[] {
  return Array.isArray(links) ? links.map((link) => String(link).replace(/^\/|:.*$/g, "")) : [];
}

/** Those of the machine that it asks for by number. */
function portsOf(bindings: unknown): string[] {
  const lists = typeof bindings === "object" && bindings !== null ? (Object.values(bindings) as unknown[]) : [];
  return lists
    .flatMap((list) => (Array.isArray(list) ? list.map((one: { HostPort?: string }) => one?.HostPort ?? "") : []))
    .filter((port) => port !== "");
}
