// The options of `docker run` and `docker create`, and their fields.

import { atSign } from "../planned.js";
import { misread } from "../wrong.js";
import { add, put, type Body, type Field } from "./body.js";
import { bytes, duration, elsewhere, flag, integer, list, map, read, refused, since, text } from "./fields.js";
import { gpusOf, healthOf, limitOf, putDevice, putSecurity } from "./machine-options.js";
import { mountOf } from "./mounts.js";
import { exposedOf, portsOf } from "./ports.js";
import { RESOURCES } from "./resources.js";

/** Options about the process and its environment. */
const PROCESS: readonly Field[] = [
  flag("tty,t", "Tty"),
  flag("interactive,i", "OpenStdin"),
  list("env,e", "Env"),
  refused("env-file", "the page has no local files"),
  map("label,l", "Labels"),
  refused("label-file", "the page has no local files"),
  text("workdir,w", "WorkingDir"),
  text("user,u", "User"),
  text("hostname,h", "Hostname"),
  text("domainname", "Domainname"),
  read("entrypoint", "Entrypoint", (value) => [value]),
  text("stop-signal", "StopSignal"),
  integer("stop-timeout", "StopTimeout"),
  read("health-cmd", "Healthcheck.Test", healthOf),
  duration("health-interval", "Healthcheck.Interval"),
  duration("health-timeout", "Healthcheck.Timeout"),
  duration("health-start-period", "Healthcheck.StartPeriod"),
  since("1.44", duration("health-start-interval", "Healthcheck.StartInterval")),
  integer("health-retries", "Healthcheck.Retries"),
  noHealthcheck("no-healthcheck", "Healthcheck.Test"),
];

/** Options about the container on its host. */
const HOST: readonly Field[] = [
  flag("rm", "HostConfig.AutoRemove"),
  flag("privileged", "HostConfig.Privileged"),
  flag("read-only", "HostConfig.ReadonlyRootfs"),
  flag("init", "HostConfig.Init"),
  list("cap-add", "HostConfig.CapAdd", capability),
  list("cap-drop", "HostConfig.CapDrop", capability),
  list("group-add", "HostConfig.GroupAdd"),
  { name: "security-opt", place: "HostConfig.SecurityOpt", isFlag: false, put: putSecurity },
  map("sysctl", "HostConfig.Sysctls"),
  list("ulimit", "HostConfig.Ulimits", limitOf),
  bytes("shm-size", "HostConfig.ShmSize"),
  map("storage-opt", "HostConfig.StorageOpt"),
  text("runtime", "HostConfig.Runtime"),
  text("isolation", "HostConfig.Isolation"),
  text("ipc", "HostConfig.IpcMode"),
  text("pid", "HostConfig.PidMode"),
  text("uts", "HostConfig.UTSMode"),
  text("userns", "HostConfig.UsernsMode"),
  text("cgroupns", "HostConfig.CgroupnsMode"),
  text("cgroup-parent", "HostConfig.CgroupParent"),
  text("log-driver", "HostConfig.LogConfig.Type"),
  map("log-opt", "HostConfig.LogConfig.Config"),
  since("1.43", map("annotation", "HostConfig.Annotations")),
  { name: "device", place: "HostConfig.Devices", isFlag: false, put: putDevice },
  list("device-cgroup-rule", "HostConfig.DeviceCgroupRules"),
  read("gpus", "HostConfig.DeviceRequests", gpusOf),
  text("cidfile", "HostConfig.ContainerIDFile"),
];

const STORAGE: readonly Field[] = [
  { name: "volume,v", place: "HostConfig.Binds", isFlag: false, put: putVolumes },
  list("mount", "HostConfig.Mounts", mountOf),
  map("tmpfs", "HostConfig.Tmpfs", ":"),
  list("volumes-from", "HostConfig.VolumesFrom"),
  text("volume-driver", "HostConfig.VolumeDriver"),
  { name: "use-api-socket", place: "HostConfig.Mounts", isFlag: true, put: putSocket },
];

const NETWORK: readonly Field[] = [
  { name: "publish,p", place: "HostConfig.PortBindings", isFlag: false, put: putPorts },
  flag("publish-all,P", "HostConfig.PublishAllPorts"),
  { name: "expose", place: "ExposedPorts", isFlag: false, put: expose },
  list("add-host", "HostConfig.ExtraHosts", (value) => value.replace(/^([^:=]+)=/, "$1:")),
  list("dns", "HostConfig.Dns"),
  list("dns-option", "HostConfig.DnsOptions"),
  list("dns-search", "HostConfig.DnsSearch"),
  elsewhere("network", "HostConfig.NetworkMode and NetworkingConfig"),
  elsewhere("net", "HostConfig.NetworkMode and NetworkingConfig"),
  elsewhere("network-alias", "NetworkingConfig: Aliases"),
  elsewhere("net-alias", "NetworkingConfig: Aliases"),
  elsewhere("ip", "NetworkingConfig: IPAMConfig.IPv4Address"),
  elsewhere("ip6", "NetworkingConfig: IPAMConfig.IPv6Address"),
  elsewhere("link", "HostConfig.Links, or Links in NetworkingConfig"),
  elsewhere("link-local-ip", "NetworkingConfig: IPAMConfig.LinkLocalIPs"),
  since("1.44", elsewhere("mac-address", "NetworkingConfig: MacAddress")),
];

const WINDOWS = "only engines on Windows support it";

/** Options without a field in the body. */
const OTHERS: readonly Field[] = [
  elsewhere("name", "in the query"),
  elsewhere("platform", "in the query"),
  elsewhere("attach,a", "AttachStdin, AttachStdout, AttachStderr"),
  elsewhere("pull", "says when the image is pulled"),
  elsewhere("quiet,q", "the command's own: what it prints", true),
  elsewhere("disable-content-trust", "the command's own: whether it checks signatures", true),
  refused("cpu-count", WINDOWS),
  refused("cpu-percent", WINDOWS),
  refused("io-maxbandwidth", WINDOWS),
  refused("io-maxiops", WINDOWS),
];

export const CREATE_FIELDS = [...PROCESS, ...RESOURCES, ...HOST, ...STORAGE, ...NETWORK, ...OTHERS];

/** Options of `docker run` only. */
export const RUN_FIELDS: readonly Field[] = [
  ...CREATE_FIELDS,
  elsewhere("detach,d", "the command's own: it does not attach", true),
  elsewhere("detach-keys", "in the query of attach"),
  elsewhere("sig-proxy", "the command's own: whether it passes signals on", true),
];

function noHealthcheck(name: string, place: string): Field {
  const off = (body: Body, values: readonly string[]): void => {
    if (values.at(-1) === "true") put(body, place, ["NONE"]);
  };
  return { name, place, isFlag: true, put: off };
}

function capability(value: string): string {
  const name = value.toUpperCase();
  return name === "ALL" || name.startsWith("CAP_") ? name : `CAP_${name}`;
}

/** A path without a source is an anonymous volume. */
function putVolumes(body: Body, values: readonly string[]): void {
  const bare = values.filter((value) => !value.includes(":"));
  const binds = values.filter((value) => value.includes(":"));
  const relative = binds.find((value) => /^\.{1,2}\//.test(value));
  if (relative !== undefined) throw misread(relative, "mount here: the page has no local folders");
  if (bare.length > 0) put(body, "Volumes", Object.fromEntries(bare.map((path) => [path, {}])));
  if (binds.length > 0) put(body, "HostConfig.Binds", binds);
}

const SOCKET = "/var/run/docker.sock";

function putSocket(body: Body, values: readonly string[]): void {
  if (values.at(-1) !== "true") return;
  add(body, "HostConfig.Mounts", [{ Type: "bind", Source: SOCKET, Target: SOCKET, BindOptions: {} }]);
}

function putPorts(body: Body, values: readonly string[]): void {
  const ports = values.flatMap(portsOf);
  const bindings: Record<string, object[]> = {};
  for (const { key, binding } of ports) (bindings[key] ??= []).push(binding);
  put(body, "HostConfig.PortBindings", bindings);
  exposePorts(body, Object.keys(bindings));
}

function expose(body: Body, values: readonly string[]): void {
  exposePorts(body, values.flatMap(exposedOf));
}

function exposePorts(body: Body, keys: readonly string[]): void {
  const more = Object.fromEntries(keys.map((key) => [key, {}]));
  put(body, "ExposedPorts", { ...(body["ExposedPorts"] as object | undefined), ...more });
}

/** The streams that the command attaches to. */
export function attachedTo(values: readonly string[], isDetached: boolean, interactive: boolean): ReadonlySet<string> {
  if (values.length > 0) return new Set(values.map((value) => stream(value)));
  return new Set(isDetached ? [] : ["stdout", "stderr", ...(interactive ? ["stdin"] : [])]);
}

function stream(value: string): string {
  const [name] = atSign(value.toLowerCase(), " ");
  if (!["stdin", "stdout", "stderr"].includes(name)) throw misread(value, "stream: use stdin, stdout or stderr");
  return name;
}
