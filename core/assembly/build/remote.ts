// `remote` of `POST /build` (surface §2.22): where the context is, if it is not the body.

import { eraseAddress } from "../api/given-address";
import { Call } from "../call";
import { WebAddress } from "../image/import/web-address";
import { badParameter, internal, Refusal } from "../refusal";
import { GitAddress, isGitContext } from "./run/web/git-address";
import { withoutUser } from "./run/web/shown";

const SESSION = "client-session";
/** Another request brings the archive. */
const UPLOAD = "upload-request";

export class Remote {
  refusal: Refusal | null = null;
  /** Both are null for the body. */
  address: WebAddress | null = null;
  git: GitAddress | null = null;
  /** It is in the client's session, as a build by BuildKit may ask. */
  inSession: bool = false;
  /** Another request brings it, as such a build may ask. */
  isUploaded: bool = false;
}

/** The parameter is erased: the address may contain credentials. */
export function readRemote(call: Call): Remote {
  const remote = new Remote();
  const given = call.query.first("remote");
  const isTraced = call.query.first("version") == "2";
  remote.inSession = isTraced && given == SESSION;
  remote.isUploaded = isTraced && given == UPLOAD;
  if (given.length == 0 || remote.inSession || remote.isUploaded) return remote;
  take(remote, given);
  eraseAddress(call, "remote");
  return remote;
}

function take(remote: Remote, given: string): void {
  remote.refusal = refusalOf(given);
  if (isGitContext(given)) remote.git = new GitAddress(given);
  else if (remote.refusal === null) remote.address = new WebAddress(given);
}

function refusalOf(given: string): Refusal | null {
  if (given == SESSION) {
    return badParameter(
      "experimental session with v1 builder is no longer supported, use builder version v2 (BuildKit) instead",
    );
  }
  if (isWeb(given) || isGitContext(given)) return null;
  return internal(`remoteURL (${withoutUser(given)}) could not be recognized as URL`);
}

function isWeb(given: string): bool {
  return given.startsWith("http://") || given.startsWith("https://");
}
