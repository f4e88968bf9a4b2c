// Sysctls of a container's interface. They belong in the settings of its endpoint, where `IFNAME` stands for the name
// that the engine chooses. Older clients name `eth0` among the sysctls of the whole container (surface §3, 1.46).

import { Tuple2 } from "../../../../build/bindings/runtime";
import { Json } from "../../json/json";
import { MembersByName } from "../../json/members-by-name";
import { badParameter, Refusal } from "../../refusal";
import { quoteText } from "../../text/go-quote";

/** The driver option of an endpoint that holds its sysctls: `net.X.Y.IFNAME.Z=V`, separated by commas. */
export const SYSCTLS: string = "com.docker.network.endpoint.sysctls";
/** Placeholder for the name of the interface. */
const INTERFACE = "IFNAME";
/** The interface that older clients name. */
const FIRST = "eth0";
/** Prefix of interface names. */
const ANY = "eth";
/** From this version on, clients must put these sysctls in the endpoint's settings. */
const NOT_MOVED: i32 = 48;

/** The result of moving interface sysctls out of a container's own sysctls. */
export class MovedSysctls {
  refusal: Refusal | null = null;
  /** Warning for the client; empty if the container's sysctls named no interface. */
  warning: string = "";
  private readonly names: string[] = [];
  private readonly entries: string[] = [];

  constructor(private readonly version: i32) {}

  /**
   * Moves the sysctls of `eth0` from a `HostConfig` to the settings
   * of an endpoint, in place. Values already there take precedence.
   */
  move(hostConfig: Json, settings: Json): void {
    const given = hostConfig.entry("Sysctls");
    if (given === null || given.isNull) return;
    const kept = Json.object();
    for (let i = 0; i < given.keys.length; i++) {
      if (this.take(given.keys[i], given.items[i].text)) continue;
      kept.keys.push(given.keys[i]);
      kept.items.push(given.items[i]);
    }
    if (this.refusal !== null || this.names.length == 0) return;
    if (kept.length > 0) hostConfig.set("Sysctls", kept);
    else hostConfig.remove("Sysctls");
    this.add(settings);
  }

  /** False if the sysctl names no interface, or is refused. */
  private take(name: string, value: string): bool {
    const parts = name.split(".");
    if (this.refusal !== null || !namesInterface(parts)) return false;
    if (this.version >= NOT_MOVED) {
      const text = `interface specific sysctl setting ${quoteText(name)} must be supplied using driver option '${SYSCTLS}'`;
      this.refusal = badParameter(text);
    } else if (parts[3] != FIRST) {
      this.refusal = badParameter(
        `unable to determine network endpoint for sysctl ${name}, ` +
          `use driver option '${SYSCTLS}' to set per-interface sysctls`,
      );
    }
    if (this.refusal !== null) return false;
    parts[3] = INTERFACE;
    this.names.push(name);
    this.entries.push(`${parts.join(".")}=${value}`);
    return true;
  }

  private add(settings: Json): void {
    const entries = this.entries.join(",");
    this.warning = `Migrated sysctl ${quoteText(this.names.join(","))} to DriverOpts{"${SYSCTLS}":${quoteText(entries)}}.`;
    const found = settings.entry("DriverOpts");
    const options = found === null || found.isNull ? Json.object() : found;
    const own = options.stringOf(SYSCTLS);
    options.set(SYSCTLS, Json.string(own.length > 0 ? `${entries},${own}` : entries));
    settings.set("DriverOpts", options);
  }
}

function namesInterface(parts: string[]): bool {
  return parts.length >= 5 && parts[0] == "net" && parts[3].startsWith(ANY);
}

/** `text`: the value of the driver option. */
export function refuseSysctls(text: string): Refusal | null {
  const entries = text.split(",");
  for (let i = 0; i < entries.length; i++) {
    const parts = entries[i].split(".");
    const named = parts.length >= 5 && parts[0] == "net" && parts[3] == INTERFACE && entries[i].includes("=");
    if (named) continue;
    return badParameter(
      `unrecognised network interface sysctl '${entries[i]}'; ` +
        "represent 'net.X.Y.ethN.Z=V' as 'net.X.Y.IFNAME.Z=V'",
    );
  }
  return null;
}

/** The sysctls in the driver option `text` for an interface: as paths, since its name may have dots. */
export function kernelSettings(text: string, interfaceName: string): Tuple2<string, string>[] {
  const settings: Tuple2<string, string>[] = [];
  const entries: string[] = text.length > 0 ? text.split(",") : [];
  for (let i = 0; i < entries.length; i++) {
    const equals = entries[i].indexOf("=");
    const parts = entries[i].slice(0, equals).split(".");
    parts[3] = interfaceName;
    settings.push(new Tuple2<string, string>(parts.join("/"), entries[i].slice(equals + 1)));
  }
  return settings;
}

/** Whether a runtime can set them when a container starts. It would take a dot in the name for the end of a directory. */
export function isSetByRuntime(interfaceName: string): bool {
  return !interfaceName.includes(".");
}

/** Adds the sysctls in the driver option `text` for an interface under their kernel names. */
export function addSysctls(sysctls: MembersByName, text: string, interfaceName: string): void {
  const entries: string[] = text.length > 0 ? text.split(",") : [];
  for (let i = 0; i < entries.length; i++) {
    const equals = entries[i].indexOf("=");
    const name = entries[i].slice(0, equals).replace(`.${INTERFACE}.`, `.${interfaceName}.`);
    sysctls.set(name, Json.string(entries[i].slice(equals + 1)));
  }
}
