// Versions of the kernel in seccomp profiles: `4.8`. Docker reads them while it decodes the profile.

import { Json } from "../../json/json";
import { jsonBytes } from "../../json/writer";
import { quoteText } from "../../text/go-quote";
import { decodeUtf8 } from "../../text/utf8";

/** What is wrong with a version, in Docker's words; empty if nothing is. */
export function kernelVersionProblem(version: string): string {
  const parts = version.split(".");
  if (parts.length != 2) return invalid(version, "");
  let sum = 0;
  for (let i = 0; i < parts.length; i++) {
    const part = partOf(parts[i]);
    if (part < 0) {
      const fault = part == TOO_LARGE ? "value out of range" : "invalid syntax";
      return invalid(version, `: strconv.ParseUint: parsing ${quoteText(parts[i])}: ${fault}`);
    }
    sum += part;
  }
  return sum == 0 ? invalid(version, ": version cannot be 0.0") : "";
}

/** A number of 8 bits, or why it is none. Like Go, it stops at the first digit that makes the number too large. */
function partOf(text: string): i32 {
  if (text.length == 0) return NO_NUMBER;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return NO_NUMBER;
    value = value * 10 + digit;
    if (value > <i32>u8.MAX_VALUE) return TOO_LARGE;
  }
  return value;
}

const NO_NUMBER: i32 = -1;
const TOO_LARGE: i32 = -2;

function invalid(version: string, why: string): string {
  const shown = decodeUtf8(jsonBytes(Json.string(version)));
  return `invalid kernel version: ${shown}, expected "<kernel>.<major>"${why}`;
}
