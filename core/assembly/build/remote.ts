// `remote` of `POST /build` (surface §2.22): where the context is, if it is not the body.

import { eraseAddress } from "../api/given-address";
import { Call } from "../call";
import { WebAddress } from "../image/import/web-address";
import { badParameter, internal, notSupported, Refusal } from "../refusal";
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
}

/** The parameter is erased: the address may contain credentials. */
export function readRemote(call: Call): Remote {
  const remote = new Remote();
  const given = call.query.first("remote");
  const isTraced = call.query.first("version") == "2";
  const isUpload = given == UPLOAD || call.query.first("buildid").startsWith(`${UPLOAD}:`);
  remote.inSession = isTraced && given == SESSION;
  if (isTraced && isUpload) remote.refusal = uploadUnbuilt();
  else if (given.length > 0 && !remote.inSession) take(remote, given);
  if (given.length > 0 && !remote.inSession) eraseAddress(call, "remote");
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

function uploadUnbuilt(): Refusal {
  return notSupported(
    "an archive that another request brings (upload-request) is not built yet: send it as the body of the build, or build a directory",
  );
}

function isWeb(given: string): bool {
  return given.startsWith("http://") || given.startsWith("https://");
}
