// What can be configured, by flags and by the configuration file: one table, in dockerd's names.

export type OptionKind = "text" | "switch" | "list" | "pairs" | "runtimes";

export interface Option {
  flag: string;
  short?: string;
  /** Key in the configuration file; none: a flag only. */
  key?: string;
  kind: OptionKind;
  /** SIGHUP makes the daemon read it again. */
  reloads?: true;
  /** What stands for the value in `--help`. */
  value?: string;
  help: string;
}

export const DEFAULTS = {
  socket: "/run/coracle/coracle.sock",
  dataRoot: "/var/lib/coracle",
  execRoot: "/run/coracle",
  pidFile: "/run/coracle/coracle.pid",
  configFile: "/etc/coracle/daemon.json",
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
  { flag: "config-file", kind: "text", value: "file", help: `configuration file (default ${DEFAULTS.configFile})` },
  {
    flag: "data-root",
    key: "data-root",
    kind: "text",
    value: "dir",
    help: `what must be kept (default ${DEFAULTS.dataRoot})`,
  },
  { flag: "debug", short: "D", key: "debug", kind: "switch", reloads: true, help: "log everything" },
  {
    flag: "default-runtime",
    key: "default-runtime",
    kind: "text",
    reloads: true,
    value: "name",
    help: "OCI runtime when none is named",
  },
  {
    flag: "events-size",
    key: "events-size",
    kind: "text",
    value: "size",
    help: "how much is kept of what happened, the newest, for GET /events?since= (default 64m)",
  },
  {
    flag: "exec-root",
    key: "exec-root",
    kind: "text",
    value: "dir",
    help: `what lives until reboot (default ${DEFAULTS.execRoot})`,
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
    help: `where to listen (repeat; default unix://${DEFAULTS.socket}); with ?dry-run behind it: all there is a dry run`,
  },
  {
    flag: "insecure-registry",
    key: "insecure-registries",
    kind: "list",
    reloads: true,
    value: "registry",
    help: "registry that may be spoken to without TLS (repeat)",
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
    help: "log driver when none is named: json-file (default), local, none",
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
    flag: "pidfile",
    short: "p",
    key: "pidfile",
    kind: "text",
    value: "file",
    help: `file with the daemon's process id (default ${DEFAULTS.pidFile})`,
  },
  {
    flag: "trace",
    key: "trace",
    kind: "switch",
    help: "record what the engine is told, for 'coracle trace save' (default true)",
  },
  {
    flag: "trace-size",
    key: "trace-size",
    kind: "text",
    value: "size",
    help: "how much of that is kept, the newest (default 64m)",
  },
  { flag: "simulated", kind: "switch", help: "pretend: nothing is run for real, and no root is needed" },
  {
    flag: "pace",
    kind: "text",
    value: "pace",
    help: "how fast simulated time passes: real (default), fast, or so many times",
  },
  { flag: "seed", kind: "text", value: "number", help: "what chance follows from in a simulated world (default 0)" },
  { flag: "help", short: "h", kind: "switch", help: "this text" },
  { flag: "version", short: "v", kind: "switch", help: "the version" },
];

/** A value as it was given: text, a switch, several texts, or names and what they stand for. */
export type Value = string | boolean | string[] | Map<string, string>;

/** By flag. */
export type Values = Map<string, Value>;

/** What the user got wrong. The message is for them. */
export class ConfigError extends Error {}
