import { Call } from "../../call";

/** The version from which multiplexed streams have their own media type. */
const WITH_MULTIPLEXED = 42;

/** Content-Type of a container's output (surface §2.6). */
export function streamType(call: Call, tty: bool): string {
  const framed = !tty && call.version >= WITH_MULTIPLEXED;
  return framed ? "application/vnd.docker.multiplexed-stream" : "application/vnd.docker.raw-stream";
}
