// Messages for invalid texts in a command.

import { Form, Malformed } from "../../../build/bindings/types";
import { quoteText } from "../text/go-quote";
import { FailureKind } from "./failure-kind";

/** Another host may support a digest algorithm that is unknown here. */
export function malformedKind(what: Form): FailureKind {
  return what == Form.CheckableDigest ? FailureKind.Unsupported : FailureKind.Invalid;
}

export function malformedText(failure: Malformed): string {
  const what = failure.what;
  const text = failure.text;
  if (what == Form.Path) return `path contains a NUL character: ${quoteText(text)}`;
  if (what == Form.Digest) return `invalid checksum digest format: ${text}`;
  if (what == Form.CheckableDigest)
    return `unsupported digest algorithm: ${text}: only sha256, sha384 and sha512 can be verified`;
  return `not ${formOf(what)}: ${quoteText(text)}`;
}

export function idRangeText(largest: u32): string {
  return `uids and gids must be in range 0-${largest}`;
}

function formOf(what: Form): string {
  switch (what) {
    case Form.IpAddress:
      return "an IP address";
    case Form.Subnet:
      return "a subnet";
    case Form.MacAddress:
      return "a hardware address";
    case Form.InterfaceName:
      return "a name for an interface";
    case Form.Protocol:
      return "a protocol";
    case Form.ContainerId:
      return "a container id";
    case Form.VolumeName:
      return "a volume's name";
    default:
      return "an archive's name";
  }
}
