// All options of flags and configuration file in one table, under dockerd's names.

export type OptionKind = "text" | "number" | "switch" | "list" | "pairs" | "pools" | "runtimes" | "object";

export interface Option {
  flag: string;
  short?: string;
  /** Key in the configuration file; missing: only a flag. */
  key?: string;
  kind: OptionKind;
  /** SIGHUP makes the daemon read it again. */
  reloads?: true;
  /** The placeholder for the value in `--help`. */
  value?: string;
  help: string;
}

export const DEFAULTS = {
  socket: "/run/coracle/coracle.sock",
  dataRoot: "/var/lib/coracle",
  execRoot: "/run/coracle",
  pidFile: "/run/coracle/coracle.pid",
  configFile: "/etc/coracle/daemon.json",
  registryCerts: "/etc/docker/certs.d",
} as const;

export const LOG_LEVELS = ["debug", "info", "warn", "error", "fatal"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_DRIVERS = ["json-file", "local", "none"] as const;

export const OPTIONS: readonly Option[] = [
  {
    flag: "add-runtime",
    key: "runtimes",
    kind: "runtimes",
    reloads: true,
    value: "name=path",
    help: "OCI runtime to offer (repeat)",
  },
  {
    flag: "bip",
    key: "bip",
    kind: "text",
    value: "address",
    help: "address of the built-in bridge, with the length of its prefix, such as 10.9.0.1/24",
  },
  {
    flag: "bip6",
    key: "bip6",
    kind: "text",
    value: "address",
    help: "IPv6 address of the built-in bridge, with the length of its prefix, such as fd00:9::1/64",
  },
  {
    flag: "builder",
    key: "builder",
    kind: "object",
    value: "json",
    help: "settings of the builder, an object as in Docker's file: what its cache may have (gc), how long its history is (history)",
  },
  {
    flag: "builder-gc",
    kind: "switch",
    help: "remove what is old of the builder's cache when it has too much (default true)",
  },
  {
    flag: "builder-gc-max-used-space",
    kind: "text",
    value: "size",
    help: "how many bytes the builder's cache may have, such as 50GB; at least what is reserved",
  },
  {
    flag: "builder-gc-min-free-space",
    kind: "text",
    value: "size",
    help: "how many bytes of the disk shall be free, such as 10GB: for them, all goes of the builder's cache but what is reserved",
  },
  {
    flag: "builder-gc-reserved-space",
    kind: "text",
    value: "size",
    help: "how many bytes the builder's cache has at least before something goes, such as 20GB (default: a tenth of the disk)",
  },
  { flag: "config-file", kind: "text", value: "file", help: `configuration file (default ${DEFAULTS.configFile})` },
  {
    flag: "data-root",
    key: "data-root",
    kind: "text",
    value: "dir",
    help: `directory for data that must be kept (default ${DEFAULTS.dataRoot})`,
  },
  { flag: "debug", short: "D", key: "debug", kind: "switch", reloads: true, help: "log everything" },
  {
    flag: "default-address-pool",
    key: "default-address-pools",
    kind: "pools",
    value: "base=block,size=n",
    help: "block of addresses to cut into subnets for networks (repeat)",
  },
  {
    flag: "default-gateway",
    key: "default-gateway",
    kind: "text",
    value: "address",
    help: "default gateway of containers on the built-in bridge, instead of the bridge",
  },
  {
    flag: "default-gateway-v6",
    key: "default-gateway-v6",
    kind: "text",
    value: "address",
    help: "IPv6 default gateway of containers on the built-in bridge, instead of the bridge",
  },
  {
    flag: "default-runtime",
    key: "default-runtime",
    kind: "text",
    reloads: true,
    value: "name",
    help: "OCI runtime for containers that name none",
  },
  {
    flag: "events-size",
    key: "events-size",
    kind: "text",
    value: "size",
    help: "how many bytes of events to keep for GET /events?since= (default 64m)",
  },
  {
    flag: "exec-root",
    key: "exec-root",
    kind: "text",
    value: "dir",
    help: `directory for data that lasts until reboot (default ${DEFAULTS.execRoot})`,
  },
  {
    flag: "fixed-cidr",
    key: "fixed-cidr",
    kind: "text",
    value: "block",
    help: "part of the built-in bridge's subnet for addresses of containers",
  },
  {
    flag: "fixed-cidr-v6",
    key: "fixed-cidr-v6",
    kind: "text",
    value: "block",
    help: "part of the built-in bridge's IPv6 subnet for addresses of containers; all of it without --bip6",
  },
  {
    flag: "group",
    short: "G",
    key: "group",
    kind: "text",
    value: "group",
    help: "group of the socket (default docker, if there is one)",
  },
  {
    flag: "host",
    short: "H",
    key: "hosts",
    kind: "list",
    value: "unix://path",
    help: `where to listen (repeat; default unix://${DEFAULTS.socket}); add ?dry-run to make all its requests dry runs, ?max-api-version=1.41 to serve no newer version`,
  },
  {
    flag: "http-proxy",
    key: "http-proxy",
    kind: "text",
    value: "address",
    help: 'proxy for registries without TLS (default $HTTP_PROXY); in the file, below "proxies"',
  },
  {
    flag: "https-proxy",
    key: "https-proxy",
    kind: "text",
    value: "address",
    help: 'proxy for registries with TLS (default $HTTPS_PROXY); in the file, below "proxies"',
  },
  {
    flag: "icc",
    key: "icc",
    kind: "switch",
    help: "containers on the built-in bridge reach each other (default true)",
  },
  {
    flag: "insecure-registry",
    key: "insecure-registries",
    kind: "list",
    reloads: true,
    value: "registry",
    help: "registry that may be used without TLS (repeat)",
  },
  {
    flag: "ip",
    key: "ip",
    kind: "text",
    value: "address",
    help: "where ports on the built-in bridge are published that name no address",
  },
  {
    flag: "ip-forward",
    key: "ip-forward",
    kind: "switch",
    help: "make the machine forward packets (default true)",
  },
  {
    flag: "ip-masq",
    key: "ip-masq",
    kind: "switch",
    help: "packets from the built-in bridge leave under the machine's address (default true)",
  },
  {
    flag: "iptables",
    key: "iptables",
    kind: "switch",
    help: "make firewall rules (default true)",
  },
  {
    flag: "ipv6",
    key: "ipv6",
    kind: "switch",
    help: "the built-in bridge has IPv6, too (default false)",
  },
  {
    flag: "label",
    key: "labels",
    kind: "list",
    reloads: true,
    value: "key=value",
    help: "label of the daemon (repeat)",
  },
  {
    flag: "log-driver",
    key: "log-driver",
    kind: "text",
    value: "driver",
    help: "log driver for containers that name none: json-file (default), local, none",
  },
  {
    flag: "log-level",
    short: "l",
    key: "log-level",
    kind: "text",
    value: "level",
    help: `${LOG_LEVELS.join(", ")} (default info)`,
  },
  {
    flag: "log-opt",
    key: "log-opts",
    kind: "pairs",
    value: "name=value",
    help: "option of the log driver, such as max-size=10m (repeat)",
  },
  {
    flag: "max-api-version",
    key: "max-api-version",
    kind: "text",
    value: "version",
    help: "newest API version to serve, for clients that only understand older ones, such as 1.41",
  },
  {
    flag: "max-document-size",
    key: "max-document-size",
    kind: "text",
    value: "size",
    help: "most bytes of an image's index, manifest or config (default 4m)",
  },
  {
    flag: "max-image-layers",
    key: "max-image-layers",
    kind: "number",
    value: "layers",
    help: "most layers of an image (default 125, which is also the most that may be given)",
  },
  {
    flag: "max-unpacked-size",
    key: "max-unpacked-size",
    kind: "text",
    value: "size",
    help: "most bytes of a layer, archive or build context after decompression (default 256g)",
  },
  {
    flag: "mtu",
    key: "mtu",
    kind: "number",
    value: "bytes",
    help: "largest packet on the built-in bridge (default 1500)",
  },
  {
    flag: "no-proxy",
    key: "no-proxy",
    kind: "text",
    value: "hosts",
    help: 'hosts, domains and blocks that no proxy is used for (default $NO_PROXY); in the file, below "proxies"',
  },
  {
    flag: "pidfile",
    short: "p",
    key: "pidfile",
    kind: "text",
    value: "file",
    help: `file with the daemon's process id (default ${DEFAULTS.pidFile})`,
  },
  {
    flag: "registry-certs",
    key: "registry-certs",
    kind: "text",
    value: "dir",
    help: `directory with a directory HOST:PORT of certificates for each registry that has its own (default ${DEFAULTS.registryCerts})`,
  },
  {
    flag: "registry-mirror",
    key: "registry-mirrors",
    kind: "list",
    reloads: true,
    value: "address",
    help: "mirror of the Hub, which pulls try first, such as https://mirror.example (repeat)",
  },
  {
    flag: "trace",
    key: "trace",
    kind: "switch",
    help: "record the engine's inputs, for 'coracle trace save' (default true)",
  },
  {
    flag: "trace-size",
    key: "trace-size",
    kind: "text",
    value: "size",
    help: "how many bytes of the record to keep (default 64m)",
  },
  {
    flag: "userland-proxy",
    key: "userland-proxy",
    kind: "switch",
    help: "forward published ports that no firewall rule serves (default true)",
  },
  { flag: "simulated", kind: "switch", help: "only simulate containers: nothing really runs, and root is not needed" },
  {
    flag: "pace",
    kind: "text",
    value: "pace",
    help: "speed of simulated time: real (default), fast, or a factor",
  },
  { flag: "seed", kind: "text", value: "number", help: "seed for random events in a simulated world (default 0)" },
  { flag: "help", short: "h", kind: "switch", help: "print this text" },
  { flag: "version", short: "v", kind: "switch", help: "print the version" },
];

/** A given value: text, a switch, several texts, or names with values. */
export type Value = string | boolean | string[] | Map<string, string>;

/** Values by flag. */
export type Values = Map<string, Value>;

/** A mistake of the user's. They see the message. */
export class ConfigError extends Error {}
