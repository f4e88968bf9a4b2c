// Many blocks of addresses, of both families, to ask whether another one overlaps any of them.

import { Subnet } from "./subnet";

/** An `overlaps` takes the logarithm of the number of blocks. */
export class SubnetSet {
  /** In the order of `compare`, without those that are inside others: so no two of them overlap. */
  private readonly blocks: Subnet[] = [];

  constructor(subnets: Subnet[]) {
    const sorted = subnets.slice(0).sort(compare);
    for (let i = 0; i < sorted.length; i++) {
      // A block can only be inside the last one kept: both begin before all that follow.
      const kept = this.blocks.length;
      if (kept == 0 || !this.blocks[kept - 1].overlaps(sorted[i])) this.blocks.push(sorted[i]);
    }
  }

  /** Whether a block has an address in common with this one. */
  overlaps(subnet: Subnet): bool {
    const at = this.placeOf(subnet);
    const isBefore = at > 0 && this.blocks[at - 1].overlaps(subnet);
    return isBefore || (at < this.blocks.length && this.blocks[at].overlaps(subnet));
  }

  /** `subnet` overlaps no block of the set. */
  add(subnet: Subnet): void {
    const at = this.placeOf(subnet);
    this.blocks.push(subnet);
    this.blocks.copyWithin(at + 1, at, this.blocks.length - 1);
    this.blocks[at] = subnet;
  }

  /** Number of blocks that come before it. */
  private placeOf(subnet: Subnet): i32 {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.blocks[middle], subnet) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** IPv4 first, then by the first address; of blocks that begin at the same address, the largest first. */
function compare(one: Subnet, other: Subnet): i32 {
  if (one.base.bits != other.base.bits) return one.base.bits - other.base.bits;
  if (one.base.equals(other.base)) return one.prefixLength - other.prefixLength;
  return one.base.isBefore(other.base) ? -1 : 1;
}
