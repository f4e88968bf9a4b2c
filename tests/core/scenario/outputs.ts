// Prints the core's commands to its host, one per line, reduced to what matters to a reader. Credentials are never
// shown: only that there are some.

import { STATUSES } from "../../../build/core/enum-words.js";
import type {
  content,
  engine,
  networks,
  processes,
  replies,
  timers,
  types,
  volumes,
} from "../../../hosts/shared/host.js";
import type { Effect, StepOutputs } from "../../../hosts/shared/outputs.js";

const USUAL_MOUNTS =
  "/proc /dev /dev/pts /sys /sys/fs/cgroup /dev/mqueue /dev/shm /etc/resolv.conf /etc/hostname /etc/hosts".split(" ");

/** Journal entries appear as events of readers instead. */
export function shownRecord(command: StepOutputs["records"][number]): string[] {
  if (command.tag === "delete") return [`record delete ${command.val}`];
  if (command.tag !== "put") return [];
  const { key, value } = command.val;
  return [`record put ${key} ${summary(key, text(value))}`.trimEnd()];
}

/** `now`: monotonic time, because a timer is shown as a delay. `nameOf`: the story's name of an operation. */
export function shownEffect(effect: Effect, now: bigint, nameOf: (op: bigint) => string): string {
  switch (effect.to) {
    case "processes":
      return shownProcess(effect.command);
    case "content":
      return effect.command.tag === "abandon" ? `abandon ${nameOf(effect.command.val)}` : shownContent(effect.command);
    case "networks":
      return shownNetwork(effect.command);
    case "volumes":
      return shownVolume(effect.command);
    case "records":
      return `read the journal from ${effect.command.val.from.tag} ${effect.command.val.from.val}`;
    case "timers":
      return shownTimer(effect.command, now);
  }
}

/** `paths`: the parts of a JSON body to show; all if empty. */
export function shownReply(command: replies.ReplyCommand, paths: string[]): string {
  switch (command.tag) {
    case "whole":
      return `${shownHead(command.val.head)} ${shownBody(text(command.val.body), paths)}`.trimEnd();
    case "bare":
      return `bare ${shownHead(command.val.head)} ${shownBody(text(command.val.body), paths)}`.trimEnd();
    case "open":
      return `open ${shownHead(command.val)}`;
    case "chunk":
      return `chunk ${shownBody(text(command.val), paths)}`;
    case "splice":
      if (command.val.tag === "archive") {
        return `splice archive ${shownFile(command.val.val.at)} ${fields({ compression: command.val.val.compression })}`;
      }
      if (command.val.tag === "saved") return `splice saved ${command.val.val.map(shownMember).join(" ")}`;
      return `splice ${command.val.tag} ${fields({ ...command.val.val })}`;
    case "insert":
    case "beside":
      return `${command.tag} ${fields({ ...command.val })}`;
    case "hijack": {
      const { head, stdio, ...rest } = command.val;
      if (stdio.tag === "exec") return `hijack ${shownHead(head)} stdio of exec ${stdio.val}: ${fields(rest)}`;
      const { container, run, ...more } = stdio.val;
      return `hijack ${shownHead(head)} stdio of ${container} run ${run}: ${fields({ ...rest, ...more })}`;
    }
    case "calls":
      return `calls of the ${command.val.caller} ${shownHead(command.val.head)}`;
    case "drain":
      return `drain ${command.val}`;
    case "end":
      return command.tag;
  }
}

/** Documents in full, because they matter most. Configs come from outside. */
function shownMember({ name, content }: replies.SavedMember): string {
  if (content.tag === "layer") return `\n    ${name}: tar of ${content.val}`;
  return `\n    ${name}: ${text(content.val).trimEnd()}`;
}

export function shownNote({ tag, val }: engine.Note): string {
  switch (tag) {
    case "routed":
      return `${val.request} is ${val.route} of ${val.version}: ${val.source}`;
    case "moved":
      return `${val.container} moved from ${val.rule.from} by ${val.rule.cause} to ${val.rule.to}`;
    case "refused":
      return `${val.request} is refused as ${val.kind}, ${val.status} ${val.message}`.trimEnd();
    case "found":
      return `${val.what} is ${val.deed}: ${val.why}`;
  }
}

function summary(key: string, value: string): string {
  if (key.startsWith("reference/")) return `-> ${value}`;
  if (!key.startsWith("container/")) return "";
  const record = JSON.parse(value) as Record<string, unknown>;
  const { run, exitCode, error, unclean } = record;
  const words = [STATUSES[Number(record["status"])] ?? "?"];
  if (run !== 0) words.push(`run ${String(run)}`);
  if (exitCode !== 0) words.push(`code ${String(exitCode)}`);
  if (unclean === true) words.push("unclean");
  if (error !== "") words.push(JSON.stringify(error));
  return words.join(", ");
}

function shownProcess(command: processes.ProcessCommand): string {
  switch (command.tag) {
    case "launch":
      return shownLaunch(command.val);
    case "signal":
      return `signal ${command.val.number} ${shownSubject(command.val.subject)}`;
    case "resize":
      return `resize ${shownSubject(command.val.subject)} to ${command.val.rows}x${command.val.columns}`;
    case "reap-exec":
      return `reap-exec ${command.val}`;
    case "signal-exec":
      return `signal-exec ${command.val.number} ${command.val.exec}`;
    case "resize-exec":
      return `resize-exec ${command.val.exec} to ${command.val.rows}x${command.val.columns}`;
    case "exec": {
      const { exec, subject, process, ...rest } = command.val;
      return `exec ${exec} in ${shownSubject(subject)} ${text(process)} ${fields(rest)}`;
    }
    case "identify":
      return `identify ${command.val.user} in ${command.val.container}`;
    case "count-own":
      return command.tag;
    case "ps":
      return `ps ${command.val.arguments.join(" ")} of ${shownSubject(command.val.subject)}`;
    case "limit":
      return `limit ${shownSubject(command.val.subject)} ${text(command.val.resources)}`;
    case "rewrite":
      return `rewrite ${command.val.file.name} of ${shownSubject(command.val.subject)}: ${ownLines(command.val.file)}`;
    default:
      return `${command.tag} ${shownSubject(command.val)}`;
  }
}

/** The lines of a hosts file, without those that every one has. */
function ownLines({ content = new Uint8Array() }: processes.ContainerFile): string {
  return JSON.stringify(text(content).replace(/^[^]*ip6-allrouters\n/, ""));
}

function shownSubject({ container, run }: processes.Subject): string {
  return `${container} run ${run}`;
}

interface Spec {
  process: { args: string[]; env: string[]; cwd: string; terminal: boolean };
  hostname?: string;
  mounts: { destination: string; source?: string; type?: string }[];
  linux: { namespaces: { type: string; path?: string }[]; resources?: Record<string, unknown> };
}

/** Undefined for a namespace of its own. */
function shownNamespace({ linux }: Spec, type: string): string | undefined {
  const namespace = linux.namespaces.find((one) => one.type === type);
  return namespace === undefined ? "host" : namespace.path;
}

function shownLaunch(launch: processes.Launch): string {
  const spec = JSON.parse(text(launch.spec)) as Spec;
  const network = spec.linux.namespaces.find((namespace) => namespace.type === "network");
  const shown = {
    args: JSON.stringify(spec.process.args),
    env: JSON.stringify(spec.process.env),
    cwd: spec.process.cwd,
    user: launch.user,
    seccomp: launch.seccomp === "default" ? "" : launch.seccomp,
    hostname: spec.hostname,
    network: networkOf(network),
    pid: shownNamespace(spec, "pid"),
    ipc: shownNamespace(spec, "ipc"),
    mounts: mountsOf(spec),
    directories: launch.directories.join(","),
    tty: launch.tty,
    stdin: launch.openStdin && (launch.stdinOnce ? "once" : "open"),
    log: shownKeeping(launch.log),
  };
  return `launch ${launch.container} run ${launch.run} by ${launch.runtime}: ${fields(shown)}`;
}

/** How much of the log is kept, if it is given. */
function shownKeeping({ fileBytes, files, compressed, passing }: processes.LogKeeping): string {
  if (fileBytes === 20_000_000n && files === 5 && !compressed && !passing) return "";
  return `${files}x${fileBytes}${compressed ? " compressed" : ""}${passing ? " passing" : ""}`;
}

/** The network namespace of a launch: its own, another container's, an empty one, or the machine's. */
function networkOf(namespace: { path?: string } | undefined): string {
  if (namespace === undefined) return "host";
  if (namespace.path === undefined) return "none";
  return namespace.path === "network:" ? "joined" : `of ${namespace.path.slice("network:".length)}`;
}

/** Mounts that not every container has, and with a minus the usual ones that this one lacks. */
function mountsOf({ mounts }: Spec): string {
  const own = mounts.filter(({ destination }) => !USUAL_MOUNTS.includes(destination));
  const missing = USUAL_MOUNTS.filter((usual) => !mounts.some(({ destination }) => destination === usual));
  return [
    ...own.map(({ destination, source }) => `${source ?? ""}:${destination}`),
    ...missing.map((usual) => `-${usual}`),
  ].join(",");
}

function shownContent(command: content.ContentCommand): string {
  switch (command.tag) {
    case "resolve":
      return `resolve ${place(command.val)} ${command.val.reference}${identity(command.val.credentials)}`;
    case "tags":
      return `tags ${place(command.val)}${identity(command.val.credentials)}`;
    case "blob":
      return `blob ${place(command.val.from)} ${command.val.digest} of ${command.val.size} bytes`;
    case "login":
      return `login ${authority(command.val.endpoint)}${identity(command.val.credentials)}`;
    case "layer":
      return shownLayer(command.val);
    case "search": {
      const { endpoint, term, results, credentials } = command.val;
      return `search ${endpoint.authority} for ${results} of ${term}${identity(credentials)}`;
    }
    case "find-credentials":
      return `find-credentials ${command.val.registry} of request ${command.val.session}`;
    case "hold-secret":
      return `hold-secret ${command.val.id} of request ${command.val.session}`;
    case "keep-log": {
      const { container, copy } = command.val;
      return `keep-log of ${container}: ${copy.limit} bytes as ${copy.container}, or ${copy.note}`;
    }
    case "send-files":
      return `send-files of ${command.val.container} as ${command.val.form} to request ${command.val.session}`;
    case "send-images":
      return `send-images to request ${command.val.session}: ${command.val.members.map(({ name }) => name).join(" ")}`;
    case "read-document":
      return `read-document ${command.val.digest} in ${command.val.in.name} of request ${command.val.in.session}`;
    case "give-blobs":
      return `give-blobs to ${command.val.to.name} of request ${command.val.to.session}: ${command.val.blobs.map(({ digest }) => digest).join(" ")}`;
    case "forward-agent":
      return `forward-agent ${command.val.id} of request ${command.val.session}`;
    case "find-blob":
      return `find-blob ${place(command.val.in)} ${command.val.digest}${identity(command.val.in.credentials)}`;
    case "mount-blob":
      return `mount-blob ${place(command.val.to)} ${command.val.digest} of ${command.val.source}`;
    case "upload":
      return `upload ${place(command.val.to)} ${command.val.chain}`;
    case "publish":
      return shownPublication(command.val);
    case "stat":
      return `stat ${shownFile(command.val)}`;
    case "make-directory": {
      const { at, owner } = command.val;
      return `make-directory ${shownFile(at)}${owner === undefined ? "" : ` owned by ${owner}`}`;
    }
    case "extract": {
      const { into, source, keepKinds, owner, scratch } = command.val;
      const from = source.tag === "body" ? `body of ${source.val}` : `${source.tag} ${fields(source.val)}`;
      return `extract ${from} to ${shownFile(into)} ${fields({ keepKinds, owner, scratch })}`.trimEnd();
    }
    case "receive": {
      const { archive, source } = command.val;
      if (source.tag === "empty") return `receive ${archive} from nothing`;
      return `receive ${archive} from ${source.tag === "web" ? source.val.address : `body of ${source.val}`}`;
    }
    case "read-file": {
      const { at, limit, part } = command.val;
      const from = part === undefined ? "" : ` from ${part.offset} for ${part.length}`;
      return `read-file ${shownFile(at)}${from} up to ${limit} bytes`;
    }
    case "list-files": {
      const { at, inside, after, limit } = command.val;
      return `list-files ${inside ? "in " : ""}${shownFile(at)}${after === "" ? "" : ` after ${after}`} up to ${limit}`;
    }
    case "choose": {
      const { from, patterns, missing, anyDepth, owners } = command.val;
      const more = fields({ ...withoutOf(missing), anyDepth, owners });
      return `choose ${patterns.join(", ")} of ${from.container} ${more}`.trimEnd();
    }
    case "copy":
      return shownCopy(command.val);
    case "download": {
      const { into, source } = command.val;
      const secret = source.credentials === undefined ? "" : " with credentials";
      return `download ${source.address}${secret} to ${shownFile(into)}`;
    }
    case "clone": {
      const { into, repository, reference, keepGit } = command.val;
      const secret = repository.credentials === undefined ? "" : " with credentials";
      return `clone ${repository.address}${secret} to ${shownFile(into)} ${fields({ reference, keepGit })}`.trimEnd();
    }
    case "compare":
      return `compare ${fields(command.val)}`;
    case "mount":
      return `mount ${command.val.container} on ${command.val.chain ?? "nothing"}${command.val.bare ? ", bare" : ""}`;
    case "ingest": {
      const { limits, ...rest } = command.val;
      return `ingest ${fields({ ...rest, ...limits })}`;
    }
    case "commit":
      return `commit ${fields({ ...command.val, mountPoints: command.val.mountPoints.join(":") })}`;
    case "read":
      return `${command.tag} ${fields(command.val)}`;
    case "free-space":
      return command.tag;
    case "measure-tar":
      return `${command.val.verify ? "verify-tar" : "measure-tar"} ${command.val.chain}`;
    case "flush-layers":
      return `flush-layers ${command.val.join(" ")}`;
    default:
      return `${command.tag} ${command.val}`;
  }
}

function shownCopy({ into, what, owner, mode }: content.Copy): string {
  const files =
    what.tag === "given"
      ? what.val.map(({ to, content }) => `${content.length} bytes to ${placed(to)}`)
      : what.val.files.map(({ path, to, fresh }) => `${path} to ${fresh ? "new " : ""}${placed(to)}`);
  const changes = mode.map((change) => fields(change)).join(" then ");
  return `copy ${files.join(", ")}${fromOf(what)} in ${into.container} ${fields({ owner, mode: changes })}`.trimEnd();
}

function fromOf(what: content.Copied): string {
  if (what.tag === "given") return "";
  const { from, missing, parents, unpack, ownsPlace } = what.val;
  const more = fields({ ...withoutOf(missing), parents, ownsPlace: unpack !== undefined && ownsPlace });
  return ` of ${from.container}${unpack === undefined ? "" : `, unpacked to ${unpack},`}${more === "" ? "" : ` ${more}`}`;
}

function placed({ path, name }: content.CopyPlace): string {
  return name === undefined ? path : `${name} below ${path}`;
}

function withoutOf({ ignored, patterns, byRoot }: content.MissingFiles): object {
  return { without: ignored.join(","), excluded: patterns.join(","), byRoot };
}

function shownFile({ view, path, follow }: types.FileAt): string {
  const places = view.places.map(
    ({ destination, source, readOnly }) => `${source}:${destination}${readOnly ? ":ro" : ""}`,
  );
  const where = [view.run === undefined ? "standing still" : `in run ${view.run}`, ...places];
  return `${follow ? "behind " : ""}${path} of ${view.container} ${where.join(" ")}`;
}

function shownLayer({ chain, parent, diffId, source, anew, unflushed }: content.Layer): string {
  const below = parent === undefined ? "" : ` on ${parent}`;
  const from = source.tag === "registry" ? place(source.val.from) : `${source.val.path} of ${source.val.archive}`;
  return `layer ${chain}${below} of ${diffId} from ${from}${anew ? " anew" : ""}${unflushed ? ", unflushed" : ""}`;
}

function shownPublication({ to, place: what, bytes }: content.Publication): string {
  if (what.tag === "blob") return `publish ${place(to)} ${what.val} of ${bytes.length} bytes`;
  const layers = (JSON.parse(new TextDecoder().decode(bytes)) as { layers: { digest: string }[] }).layers;
  const named = layers.map(({ digest }) => digest).join(" ");
  return `publish ${place(to)} manifest ${what.val.reference} (${what.val.mediaType.split(".").slice(1, 2).join()}): ${named}`;
}

function place(where: { endpoint: content.Endpoint; repository: string }): string {
  return `${authority(where.endpoint)}/${where.repository}`;
}

function authority({ authority: name, security }: types.Endpoint): string {
  const words = security.join("+");
  return words === "verified-tls" ? name : `${words === "any-certificate+plain" ? "insecure" : words} ${name}`;
}

function identity(credentials: content.Credentials | undefined): string {
  return credentials === undefined ? "" : " with credentials";
}

function shownNetwork(command: networks.NetworkCommand): string {
  switch (command.tag) {
    case "make": {
      const { network, name, interfaceName, subnet, ipv6Subnet } = command.val;
      const subnets = [subnet, ipv6Subnet].filter((one) => one !== "").join(", ");
      return `make ${network} (${name}, ${interfaceName}, ${subnets})`;
    }
    case "drop":
      return `drop ${command.val}`;
    case "join": {
      const { container, bridge, interfaceName, address, gateway, ipv6Address, ipv6Gateway, ports } = command.val;
      const mapped = ports.map(
        (port) => `${shownAddress(port.hostAddress)}:${port.hostPort}->${port.containerPort}/${port.protocol}`,
      );
      const second = interfaceName === "eth0" ? "" : ` (${interfaceName})`;
      const ways = [
        address !== "" && gateway === "" ? "no gateway" : "",
        ipv6Address !== "" && ipv6Gateway === "" ? "no IPv6 gateway" : "",
      ];
      const addresses = [address, ipv6Address].filter((one) => one !== "").join(" and ");
      const more = [...ways, ...mapped].filter((word) => word !== "").join(" ");
      return `join ${container} on ${bridge.name}${second} as ${addresses} ${more}`.trimEnd();
    }
    case "make-parent-network": {
      const { network, name, driver, mode, ipvlanFlag, parent, vlanLink, vlanId, isDummy } = command.val;
      const made = isDummy ? ", made" : vlanLink === "" ? "" : `, VLAN ${vlanId} of ${vlanLink}`;
      return `make ${network} (${name}, ${driver} ${mode}${ipvlanFlag && ` ${ipvlanFlag}`} on ${parent}${made})`;
    }
    case "join-parent": {
      const { container, network, interfaceName, address, leads, gateway, mac } = command.val;
      const { ipv6Address, ipv6Leads, ipv6Gateway } = command.val;
      const by = [leads && (gateway || network.parent), ipv6Leads && (ipv6Gateway || network.parent)].filter(Boolean);
      const way = by.length > 0 ? `by ${by.join(" and ")}` : "no gateway";
      const addresses = [address, ipv6Address].filter((one) => one !== "").join(" and ");
      const second = interfaceName === "eth0" ? "" : ` (${interfaceName})`;
      return `join ${container} on ${network.name}${second} as ${addresses} ${mac} ${way}`.replace("  ", " ");
    }
    case "name": {
      const { container, domain, names, addresses } = command.val;
      return `name ${container} on ${domain} ${names.join(" ")} at ${addresses.join(" ")}`;
    }
    case "serve-names":
      return `resolve ${shownResolver(command.val)}`;
    case "leave":
      return `leave ${command.val.container} from ${command.val.network}`;
    case "leave-all":
      return `leave-all ${command.val}`;
    case "routes":
      return "routes";
  }
}

function shownResolver({ container, networks, servers, machineServers }: networks.Resolver): string {
  const links = networks.flatMap(({ links: own }) => own.map(({ alias, name }) => ` ${alias}=${name}`));
  const others = machineServers ? [...servers, "the machine"] : servers;
  return `in ${container} on ${networks.length}${links.join("")}, else ${others.join(" ") || "nobody"}`;
}

function shownAddress(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

function shownVolume(command: volumes.VolumeCommand): string {
  if (command.tag === "mount") return shownVolumeMount(command.val);
  if (command.tag !== "populate") return `${command.tag} ${command.val}`;
  const { name, container, path, mount } = command.val;
  return `populate ${name} from ${container} at ${path}${mount ? `, ${shownVolumeMount(mount)}` : ""}`;
}

function shownVolumeMount({ name, fileSystem, device, options }: volumes.VolumeMount): string {
  return `mount ${name} (${fileSystem} ${device} ${options})`;
}

function shownTimer(command: timers.TimerCommand, now: bigint): string {
  return command.tag === "cancel" ? "cancel" : `set +${Number(command.val - now) / 1e9}s`;
}

/** The type is shown if it is not JSON. */
function shownHead({ status, headers }: replies.Head): string {
  const type = /^Content-Type: (.*)$/m.exec(headers)?.[1];
  const location = /^Location: (.*)$/m.exec(headers)?.[1];
  const parts = [String(status)];
  if (type !== undefined && type !== "application/json") parts.push(`(${type})`);
  if (location !== undefined) parts.push(`to ${location}`);
  return parts.join(" ");
}

function shownBody(body: string, paths: string[]): string {
  if (paths.length === 0) return visible(body.trimEnd());
  const document: unknown = JSON.parse(body);
  const picked = paths.map((path) => `${path}=${JSON.stringify(at(document, path.split(".")))}`);
  return picked.join(" ");
}

/** `*` visits all elements of a list. */
function at(value: unknown, [step, ...rest]: string[]): unknown {
  if (step === undefined || step === "") return value;
  if (step === "*") return (value as unknown[]).map((element) => at(element, rest));
  if (typeof value !== "object" || value === null) return undefined;
  return at((value as Record<string, unknown>)[step], rest);
}

function visible(body: string): string {
  const escape = (c: string): string => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return body
    .replaceAll("\r", "\\r")
    .replaceAll("\n", "\\n")
    .replaceAll(/\p{Cc}/gu, escape);
}

/** Fields with a value: no empty texts, no false, no missing ones. */
function fields(record: object): string {
  return Object.entries(record as Record<string, unknown>)
    .filter(([, value]) => value !== undefined && value !== false && value !== "" && value !== 0n)
    .filter(([, value]) => !(value instanceof Uint8Array && value.length === 0))
    .map(([name, value]) => (value === true ? name : `${name}=${shownValue(value)}`))
    .join(" ");
}

function shownValue(value: unknown): string {
  if (value instanceof Uint8Array) return [...value].map((byte) => byte.toString(16)).join(",");
  return typeof value === "object" && !Array.isArray(value) ? JSON.stringify(value) : String(value);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
