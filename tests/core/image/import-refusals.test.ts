// No refusal of an import repeats what may be a credential in its address.
import { expect, test } from "vitest";
import { EagerEngine } from "../support/eager-engine.js";

const HIDDEN = "hidden-secret";

test.each([
  [`http://u:${HIDDEN}@h:99999/x`, "", 400, "invalid port"],
  [`ftp://u:${HIDDEN}@h/x?sig=${HIDDEN}`, "", 500, "unsupported protocol scheme"],
  [`http://u:${HIDDEN}/x@h/x`, "", 400, "must be written as"],
  [`u:${HIDDEN}@a b/?to=http://x`, "", 400, "in host name"],
  [`http://u:${HIDDEN}@h/x`, "&platform=a/b/c/d", 400, "cannot parse platform"],
  [`http://u:${HIDDEN}@h/x`, "&platform=windows/amd64", 400, "operating system is not supported"],
  [`http://u:${HIDDEN}@h/x`, "&repo=Upper", 400, "must be lowercase"],
  [`http://u:${HIDDEN}@h/x`, "&changes=RUN%20x", 400, "not a valid change command"],
])("%s%s", (address, rest, status, says) => {
  const engine = new EagerEngine();
  const answer = engine.request("POST", `/v1.55/images/create?fromSrc=${encodeURIComponent(address)}${rest}`);
  expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(says)]);
  expect(answer.body).not.toContain(HIDDEN);
});
