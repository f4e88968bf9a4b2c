// Asks DNS questions in a network namespace, as a container's programs do.
import { decode, encode, type Packet, type RecordType } from "dns-packet";
import { ask } from "../../../runtime-linux/names/resolver/attempt.js";
import type { Transport } from "../../../runtime-linux/names/resolver/sockets.js";

/** Datagrams may be lost while nobody listens. */
const PATIENCE_MS = 2000;

/** The answer of the resolver at 127.0.0.11; undefined if there is none. */
export async function look(
  namespace: string | undefined,
  name: string,
  type: RecordType = "A",
  transport: Transport = "udp",
): Promise<Packet | undefined> {
  const query = question(name, type);
  const answer = await new Promise<Buffer | undefined>((came) => {
    const stop = ask(transport, { address: "127.0.0.11", namespace }, query, came);
    setTimeout(() => (stop(), came(undefined)), PATIENCE_MS);
  });
  return answer && decode(answer);
}

/** The data of the records in the answer. */
export async function dataOf(...asked: Parameters<typeof look>): Promise<unknown[] | undefined> {
  const answer = await look(...asked);
  return answer?.answers?.map((record) => ("data" in record ? record.data : undefined));
}

export function question(name: string, type: RecordType = "A", id = 7): Buffer {
  return encode({ type: "query", id, flags: 0x100, questions: [{ type, name }] });
}
