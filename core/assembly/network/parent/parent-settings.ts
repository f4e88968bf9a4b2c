// The options of macvlan and ipvlan networks (surface §2.24): the interface of the machine on which the containers'
// interfaces are, and how they share it. Docker ignores other options.

/** The interface of the machine, or `eth0.10` for VLAN 10 of one. */
const PARENT: string = "parent";
const MACVLAN_MODE: string = "macvlan_mode";
const IPVLAN_MODE: string = "ipvlan_mode";
const IPVLAN_FLAG: string = "ipvlan_flag";
/** The first ones are the defaults. */
const MACVLAN_MODES: string[] = ["bridge", "private", "vepa", "passthru"];
const IPVLAN_MODES: string[] = ["l2", "l3", "l3s"];
const IPVLAN_FLAGS: string[] = ["bridge", "private", "vepa"];

export function isParentDriver(driver: string): bool {
  return driver == "macvlan" || driver == "ipvlan";
}

export class ParentSettings {
  /** The parent interface; empty for one that leads nowhere. */
  parent: string = "";
  mode: string = "";
  /** Empty for macvlan. */
  flag: string = "";

  constructor(
    readonly driver: string,
    keys: string[],
    values: string[],
  ) {
    const isMacvlan = driver == "macvlan";
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] == PARENT) this.parent = values[i];
      else if (keys[i] == (isMacvlan ? MACVLAN_MODE : IPVLAN_MODE)) this.mode = values[i];
      else if (keys[i] == IPVLAN_FLAG && !isMacvlan) this.flag = values[i];
    }
    if (this.mode.length == 0) this.mode = isMacvlan ? MACVLAN_MODES[0] : IPVLAN_MODES[0];
    if (this.flag.length == 0 && !isMacvlan) this.flag = IPVLAN_FLAGS[0];
  }

  /** The parent routes the containers' packets, instead of a router on its network. */
  get isRouter(): bool {
    return this.parent.length > 0 && this.mode.startsWith("l3");
  }

  /** Containers' default route leads to a router on the parent's network, if the client named one. */
  get hasGateway(): bool {
    return this.parent.length > 0 && !this.isRouter;
  }

  /** All containers have the parent's hardware address. */
  get sharesMac(): bool {
    return this.driver == "ipvlan";
  }

  /** What is wrong with the settings, in Docker's words; empty if nothing is. */
  get problem(): string {
    const isMacvlan = this.driver == "macvlan";
    const modes = isMacvlan ? MACVLAN_MODES : IPVLAN_MODES;
    if (!modes.includes(this.mode)) {
      return invalid(`${this.driver} mode`, this.mode, isMacvlan ? USUAL_MACVLAN_MODE : USUAL_IPVLAN_MODE);
    }
    if (!isMacvlan && !IPVLAN_FLAGS.includes(this.flag)) return invalid("ipvlan flag", this.flag, USUAL_FLAG);
    return this.parent == "lo" ? `loopback interface is not a valid ${this.driver} parent link` : "";
  }

  /** The name that Docker gives to a parent that leads nowhere. */
  dummyName(network: string): string {
    return dummyName(this.driver, network);
  }
}

const USUAL_MACVLAN_MODE: string = "'bridge' mode is the macvlan driver default";
const USUAL_IPVLAN_MODE: string = "'l2' mode is the ipvlan driver default";
const USUAL_FLAG: string = "'bridge' is the ipvlan driver default";

function invalid(what: string, value: string, usual: string): string {
  return `requested ${what} '${value}' is not valid, ${usual}`;
}

function dummyName(driver: string, network: string): string {
  return `${driver == "macvlan" ? "dm" : "di"}-${network.slice(0, 12)}`;
}
