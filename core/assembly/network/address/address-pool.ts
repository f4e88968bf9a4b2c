// Which addresses of a subnet are given out. Docker gives out the lowest free address (surface §2.24).

import { Address, parseAddress } from "./address";
import { Subnet } from "./subnet";

/** Owner of addresses that no container gets: the gateway's, and those that the client set aside. */
const NOBODY: string = "";

export class AddressPool {
  private readonly owners: Map<string, string> = new Map<string, string>();
  /** Every usable address of the range before this one is taken, so that the search need not begin at the start. */
  private lowest: Address;
  /** The addresses from which the engine chooses. */
  private readonly firstUsable: Address;
  private readonly lastUsable: Address;

  /** `range`: the part of the subnet from which the engine chooses. */
  constructor(
    readonly subnet: Subnet,
    range: Subnet,
  ) {
    const first = range.base.equals(subnet.base) && keepsEnds(subnet) ? range.base.plus(1) : range.base;
    this.firstUsable = first;
    this.lowest = first;
    const endsWithSubnet = range.last.equals(subnet.last);
    this.lastUsable = endsWithSubnet && keepsEnds(subnet) && !subnet.isIpv6 ? range.last.previous : range.last;
  }

  /** No container gets the address. */
  reserve(address: Address): void {
    this.owners.set(address.text, NOBODY);
  }

  /** The lowest free address; null if there is none. */
  take(owner: string): Address | null {
    for (let at = this.lowest; !this.lastUsable.isBefore(at); at = at.plus(1)) {
      this.lowest = at;
      if (!this.owners.has(at.text)) {
        this.owners.set(at.text, owner);
        return at;
      }
      // After the family's last address there is none.
      if (at.equals(this.lastUsable)) return null;
    }
    return null;
  }

  /** Takes an address of the client's choice; false if it is not free. */
  takeFixed(address: Address, owner: string): bool {
    const isEnd = keepsEnds(this.subnet) && (address.equals(this.subnet.base) || this.isBroadcast(address));
    if (isEnd || this.owners.has(address.text)) return false;
    this.owners.set(address.text, owner);
    return true;
  }

  /** Takes the address of a container that has it already. One that no container shall get is free for none after it. */
  keep(address: Address, owner: string): void {
    const key = address.text;
    const isReserved = this.owners.has(key) && this.owners.get(key) == NOBODY;
    if (!isReserved) this.owners.set(key, owner);
  }

  /** Only the address's owner can free it. */
  free(address: Address, owner: string): void {
    const key = address.text;
    if (!this.owners.has(key) || this.owners.get(key) != owner) return;
    this.owners.delete(key);
    const isChosenFrom = !address.isBefore(this.firstUsable);
    if (isChosenFrom && address.isBefore(this.lowest)) this.lowest = address;
  }

  /** Number of addresses from which the engine can still choose; the largest number of 64 bits if there are more. */
  get available(): u64 {
    const first = this.firstUsable;
    const last = this.lastUsable;
    if (last.isBefore(first)) return 0;
    const isMore = last.high > first.high + 1 || (last.high > first.high && last.low >= first.low);
    if (isMore) return u64.MAX_VALUE;
    const between = last.low - first.low;
    const taken = this.takenInRange();
    // Adding 1 first could go beyond 64 bits.
    return taken == 0 ? (between == u64.MAX_VALUE ? between : between + 1) : between - (taken - 1);
  }

  private takenInRange(): u64 {
    let count: u64 = 0;
    const keys = this.owners.keys();
    for (let i = 0; i < keys.length; i++) {
      const address: Address = parseAddress(keys[i])!;
      if (!address.isBefore(this.firstUsable) && !this.lastUsable.isBefore(address)) count += 1;
    }
    return count;
  }

  /** Number of addresses that are taken or reserved; those of the network itself and for broadcasts count, too. */
  get used(): i32 {
    const ends = !keepsEnds(this.subnet) ? 0 : this.subnet.isIpv6 ? 1 : 2;
    return this.owners.size + ends;
  }

  private isBroadcast(address: Address): bool {
    return !this.subnet.isIpv6 && address.equals(this.subnet.last);
  }
}

/**
 * A subnet of more than two addresses keeps the first one for itself, and in IPv4 the last one for broadcasts
 * (RFC 1812 §4.2.2.11, RFC 3021; for IPv6 RFC 4291 §2.6.1).
 */
function keepsEnds(subnet: Subnet): bool {
  return subnet.hostBits > 1;
}
