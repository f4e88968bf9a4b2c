// Sizes of packets on the wire.

const ETHERNET_HEADER_BYTES = 14;
const IP_HEADER_BYTES = 20;

/** The bytes of an Ethernet frame with this many bytes of an IPv4 packet's content. */
export function ethernetBytes(content: number): number {
  return content + IP_HEADER_BYTES + ETHERNET_HEADER_BYTES;
}
