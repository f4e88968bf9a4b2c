// `remote` of `POST /build` (surface §2.22): where the context is, if it is not the body.

import { eraseAddress } from "../api/given-address";
import { Call } from "../call";
import { WebAddress } from "../image/import/web-address";
import { badParameter, internal, notBuilt, Refusal } from "../refusal";
import { withoutUser } from "./run/web/shown";

const GIT: string[] = ["git://", "github.com/", "git@"];
const SESSION = "client-session";

export class Remote {
  refusal: Refusal | null = null;
  /** Null for the body. */
  address: WebAddress | null = null;
}

/** The parameter is erased: the address may contain credentials. */
export function readRemote(call: Call): Remote {
  const remote = new Remote();
  const given = call.query.first("remote");
  if (given.length == 0) return remote;
  remote.refusal = refusalOf(given);
  if (remote.refusal === null) remote.address = new WebAddress(given);
  eraseAddress(call, "remote");
  return remote;
}

function refusalOf(given: string): Refusal | null {
  if (given == SESSION) {
    return badParameter(
      "experimental session with v1 builder is no longer supported, use builder version v2 (BuildKit) instead",
    );
  }
  if (isGit(given)) return notBuilt("building from a git repository");
  if (isWeb(given)) return null;
  return internal(`remoteURL (${withoutUser(given)}) could not be recognized as URL`);
}

function isWeb(given: string): bool {
  return given.startsWith("http://") || given.startsWith("https://");
}

/** As Docker tells them apart. */
function isGit(given: string): bool {
  for (let i = 0; i < GIT.length; i++) if (given.startsWith(GIT[i])) return true;
  const fragment = given.indexOf("#");
  return isWeb(given) && (fragment < 0 ? given : given.slice(0, fragment)).endsWith(".git");
}
