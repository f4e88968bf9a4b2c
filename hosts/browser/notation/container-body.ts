// The body of a create request, from the options of `docker run` and `docker create`.

import type { Arguments, Takes } from "./arguments.js";

export const CREATE_TAKES: Takes = {
  flags: ["interactive,i", "tty,t", "rm", "init", "privileged", "read-only", "publish-all,P", "detach,d", "quiet,q"],
  values: [
    ...["name", "env,e", "publish,p", "volume,v", "label,l", "network", "net", "workdir,w", "user,u", "hostname,h"],
    ...["entrypoint", "memory,m", "cpus", "restart", "stop-signal", "stop-timeout", "expose", "add-host", "dns"],
    ...["platform", "cap-add", "cap-drop", "tmpfs", "detach-keys", "pull", "attach,a"],
  ],
  least: 1,
  stops: true,
};

/** The body, or what is wrong with an option. */
export function containerBody(args: Arguments, attaches: boolean): Record<string, unknown> | { wrong: string } {
  const [image, ...command] = args.operands;
  const ports = args.values("publish").map(portsOf);
  const memory = args.value("memory");
  const bytes = memory === null ? null : bytesOf(memory);
  const bad = args.values("publish").find((_, at) => ports[at] === null);
  if (bad !== undefined) return { wrong: bad };
  if (memory !== null && bytes === null) return { wrong: memory };
  const published = ports.flatMap((port) => port ?? []);
  const entrypoint = args.value("entrypoint");
  return without({
    Image: image,
    Cmd: command.length > 0 ? command : undefined,
    Entrypoint: entrypoint === null ? undefined : [entrypoint],
    Env: listed(args.values("env")),
    Labels: pairs(args.values("label")),
    WorkingDir: args.value("workdir") ?? undefined,
    User: args.value("user") ?? undefined,
    Hostname: args.value("hostname") ?? undefined,
    StopSignal: args.value("stop-signal") ?? undefined,
    StopTimeout: numberOf(args.value("stop-timeout")),
    Tty: args.flag("tty") || undefined,
    OpenStdin: args.flag("interactive") || undefined,
    StdinOnce: (args.flag("interactive") && attaches) || undefined,
    AttachStdin: (args.flag("interactive") && attaches) || undefined,
    AttachStdout: attaches || undefined,
    AttachStderr: attaches || undefined,
    ExposedPorts: keyed([...published.map((port) => port.key), ...args.values("expose").map(portKey)]),
    HostConfig: hostConfig(args, published, bytes),
  });
}

interface Port {
  key: string;
  binding: { HostIp?: string; HostPort: string };
}

function hostConfig(
  args: Arguments,
  ports: readonly Port[],
  memory: number | null,
): Record<string, unknown> | undefined {
  const bindings: Record<string, Port["binding"][]> = {};
  for (const { key, binding } of ports) (bindings[key] ??= []).push(binding);
  const config = without({
    AutoRemove: args.flag("rm") || undefined,
    PortBindings: ports.length > 0 ? bindings : undefined,
    PublishAllPorts: args.flag("publish-all") || undefined,
    Binds: listed(args.values("volume")),
    NetworkMode: args.value("network") ?? args.value("net") ?? undefined,
    Memory: memory ?? undefined,
    NanoCpus: args.value("cpus") === null ? undefined : Math.round(Number(args.value("cpus")) * 1e9),
    RestartPolicy: restartOf(args.value("restart")),
    Privileged: args.flag("privileged") || undefined,
    ReadonlyRootfs: args.flag("read-only") || undefined,
    Init: args.flag("init") || undefined,
    ExtraHosts: listed(args.values("add-host")),
    Dns: listed(args.values("dns")),
    CapAdd: listed(args.values("cap-add")),
    CapDrop: listed(args.values("cap-drop")),
    Tmpfs: pairs(args.values("tmpfs"), ":"),
  });
  return Object.keys(config).length > 0 ? config : undefined;
}

/** `[[address:]host:]container[/protocol]`, each of a range by itself; null if it is none. */
function portsOf(text: string): Port[] | null {
  const parts = PUBLISHED.exec(text);
  if (parts === null) return null;
  const [, ipv6, ipv4, host = "", container = "", protocol = "/tcp"] = parts;
  const address = ipv6 ?? ipv4;
  const [inside, outside] = [numbersOf(container), host === "" ? [] : numbersOf(host)];
  // One port of the container may be had on any of a range.
  const each = inside.length > 1 && outside.length > 0;
  if (inside.length === 0 || (each && inside.length !== outside.length)) return null;
  return inside.map((port, at) => {
    const HostPort = each ? String(outside[at]) : host;
    return { key: `${port}${protocol}`, binding: { ...(address ? { HostIp: address } : {}), HostPort } };
  });
}

const PUBLISHED = /^(?:(?:(?:\[([\da-f:.]+)\]|([\d.]+)):)?(\d+(?:-\d+)?)?:)?(\d+(?:-\d+)?)(\/(?:tcp|udp|sctp))?$/i;

/** `80` or `80-82`; none of a range that ends before it begins. */
function numbersOf(range: string): number[] {
  const [first = 0, last = first] = range.split("-").map(Number);
  return Array.from({ length: Math.max(0, Math.min(last, MAX_PORT) - first + 1) }, (_, at) => first + at);
}

const MAX_PORT = 65_535;

function portKey(text: string): string {
  return text.includes("/") ? text : `${text}/tcp`;
}

/** `512m` and the like. */
function bytesOf(text: string): number | null {
  const parts = /^(\d+(?:\.\d+)?)([bkmg]?)b?$/i.exec(text);
  if (parts === null) return null;
  return Math.round(Number(parts[1]) * 1024 ** ["", "k", "m", "g"].indexOf(parts[2]!.toLowerCase().replace("b", "")));
}

function restartOf(text: string | null): object | undefined {
  if (text === null) return undefined;
  const [name, count] = text.split(":");
  return { Name: name, ...(count === undefined ? {} : { MaximumRetryCount: Number(count) }) };
}

function numberOf(text: string | null): number | undefined {
  return text === null ? undefined : Number(text);
}

function listed(values: readonly string[]): readonly string[] | undefined {
  return values.length > 0 ? values : undefined;
}

function pairs(values: readonly string[], sign = "="): Record<string, string> | undefined {
  if (values.length === 0) return undefined;
  return Object.fromEntries(
    values.map((value) => {
      const at = value.indexOf(sign);
      return at < 0 ? [value, ""] : [value.slice(0, at), value.slice(at + 1)];
    }),
  );
}

function keyed(keys: readonly string[]): Record<string, object> | undefined {
  return keys.length > 0 ? Object.fromEntries(keys.map((key) => [key, {}])) : undefined;
}

function without(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
