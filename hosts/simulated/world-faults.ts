// The faults that are set in a world: which containers they strike, and how many more times.

import type { Fault, FaultSource, Faults, SetFault } from "./faults.js";

export class WorldFaults implements Faults, FaultSource {
  readonly #nameOf: (container: string) => string | undefined;
  readonly #injected: (fault: Fault) => void;
  #set: Entry[] = [];

  /** `nameOf` returns a container's name if it is known. `injected` is called for every fault after it is set. */
  constructor(
    nameOf: (container: string) => string | undefined = () => undefined,
    injected: (fault: Fault) => void = () => {},
  ) {
    this.#nameOf = nameOf;
    this.#injected = injected;
  }

  get set(): readonly SetFault[] {
    return this.#set;
  }

  inject(fault: Fault, times?: number): () => void {
    checkSpeed(fault);
    const entry: Entry = { fault: { ...fault }, left: times ?? null };
    if (entry.left !== 0) this.#set = [...this.#set, entry];
    this.#injected(fault);
    return () => this.#remove(entry);
  }

  lift(kind: Fault["kind"]): void {
    this.#set = this.#set.filter(({ fault }) => fault.kind !== kind);
  }

  strike<K extends Fault["kind"]>(kind: K, about: About = {}): Extract<Fault, { kind: K }> | null {
    const entry = this.#find(kind, about);
    if (entry === undefined) return null;
    if (entry.left !== null && --entry.left === 0) this.#remove(entry);
    return entry.fault as Extract<Fault, { kind: K }>;
  }

  /** Counts an output that has left the engine. True if the engine must crash now. */
  outputLeft(): boolean {
    const due = this.#set.filter(({ fault }) => fault.kind === "engine-crash" && --fault.afterOutputs <= 0);
    due.forEach((entry) => this.#remove(entry));
    return due.length > 0;
  }

  #find(kind: Fault["kind"], about: About): Entry | undefined {
    return this.#set.findLast(({ fault }) => fault.kind === kind && this.#concerns(fault, about));
  }

  #concerns(fault: Fault, about: About): boolean {
    if (fault.kind === "registry-cut" && (about.bytes ?? 0) <= fault.afterBytes) return false;
    if ("authority" in fault && fault.authority !== undefined && fault.authority !== about.authority) return false;
    if ("network" in fault && fault.network !== undefined) {
      if (!isNamed(fault.network, about.network ?? "", about.networkName)) return false;
    }
    if (!("container" in fault) || fault.container === undefined) return true;
    const { container = "" } = about;
    return isNamed(fault.container, container, this.#nameOf(container));
  }

  #remove(entry: Entry): void {
    this.#set = this.#set.filter((one) => one !== entry);
  }
}

type About = NonNullable<Parameters<FaultSource["strike"]>[1]>;

interface Entry extends SetFault {
  left: number | null;
}

/** Time at speed 0 would never pass. */
function checkSpeed(fault: Fault): void {
  if (fault.kind !== "registry-slow" && fault.kind !== "network-slow") return;
  const { bytesPerSecond = Infinity } = fault;
  if (!(bytesPerSecond > 0)) throw new RangeError(`${fault.kind}: bytesPerSecond must be above 0`);
  const { delayMs = 0 } = fault.kind === "network-slow" ? fault : {};
  if (!(delayMs >= 0 && delayMs < Infinity)) throw new RangeError(`${fault.kind}: delayMs must be 0 or more`);
}

/** Whether a container or network is meant: by its name, its id, or a prefix of its id. */
export function isNamed(wanted: string, id: string, name: string | undefined): boolean {
  return wanted === name || id.startsWith(wanted);
}
