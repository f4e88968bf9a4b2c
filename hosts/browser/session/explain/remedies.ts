// Remedies for refused requests: one table from the engine's sentences to requests that are ready to send.

import type { Remedy } from "./explain.js";
import {
  lowSum,
  nameInUse,
  noSuchContainer,
  noSuchExec,
  noSuchProgram,
  notModified,
  notPaused,
  notRunning,
  paused,
  portTaken,
  restarting,
  stillRunning,
} from "./remedies-of-containers.js";
import { forced, imageInUse, noSuchImage, noSuchTag, withCredentials } from "./remedies-of-images.js";
import {
  atLeast,
  badName,
  badReference,
  emptyBody,
  jsonType,
  malformedJson,
  noSuchFilter,
  notBuilt,
  servedVersion,
  whichStream,
} from "./remedies-of-requests.js";
import { again, listing, words } from "./remedy.js";
import type { Asked, Refusal } from "./remedy.js";
import { versionOf } from "../request.js";
import type { WrittenRequest } from "../request.js";
import { NEWEST_VERSION } from "../versions.js";
import type { World } from "../../../timeline/index.js";

/** The most promising remedy first. */
export function remediesFor(request: WrittenRequest, refusal: Refusal, world: World): Remedy[] {
  const asked: Asked = {
    request,
    refusal,
    world,
    at: (target) => `/v${versionOf(request) ?? `1.${NEWEST_VERSION}`}${target}`,
  };
  for (const { says, remedies } of SENTENCES) {
    const found = says.exec(refusal.message);
    if (found !== null) return remedies(asked, ...found.slice(1).map((part) => part ?? ""));
  }
  return STATUSES[refusal.status]?.(asked) ?? [];
}

/** Sentences of the engine (Docker Engine API), the most specific first. */
const SENTENCES: readonly { says: RegExp; remedies: (asked: Asked, ...parts: string[]) => Remedy[] }[] = [
  { says: /^No such image: (.+)$/, remedies: noSuchImage },
  { says: /^pull access denied for ([^,]+),/, remedies: withCredentials },
  { says: /(?:unauthorized|no basic auth credentials|incorrect username or password)/i, remedies: withCredentials },
  { says: /^manifest for (\S+) not found/, remedies: noSuchTag },
  {
    says: /toomanyrequests|rate limit|too many requests/i,
    remedies: again("Wait as long as the registry says, then send the request again"),
  },
  { says: /(?:^|: )No such container: (.+)$/, remedies: noSuchContainer },
  { says: /^No such exec instance: /, remedies: noSuchExec },
  { says: /The container name "\/(.+)" is already in use by container "(\w+)"/, remedies: nameInUse },
  { says: /container is (?:running|restarting): stop the container before removing/, remedies: stillRunning },
  {
    says: /(?:container is paused and|start a paused container|is already paused$|is paused, unpause)/,
    remedies: paused,
  },
  { says: /is not paused$/, remedies: notPaused },
  { says: /is restarting, wait until the container is running$/, remedies: restarting },
  { says: /container (\w+) is not running$/, remedies: notRunning },
  { says: /update the memoryswap at the same time$/, remedies: lowSum },
  { says: /port is already allocated/, remedies: portTaken },
  { says: /unable to remove repository reference .*container (\w+) is using/, remedies: imageInUse },
  { says: /unable to delete \w+ .*used by (?:running|stopped) container (\w+)/, remedies: imageInUse },
  { says: /unable to delete \w+ \(must be forced\)/, remedies: forced },
  {
    says: /^page not found$/,
    remedies: () => [words("No endpoint has this method and path: choose one from the list")],
  },
  { says: /^invalid JSON/, remedies: malformedJson },
  { says: /Content-Type header/, remedies: jsonType },
  { says: /config cannot be empty/, remedies: emptyBody },
  { says: /must specify at least one of 'stdout' or 'stderr'/, remedies: whichStream },
  { says: /client version \S+ is too (?:new|old)/, remedies: servedVersion },
  { says: /requires minimum API version (\S+)$/, remedies: (asked, version) => [atLeast(asked, version)] },
  { says: /executable file not found|no such file or directory/, remedies: noSuchProgram },
  { says: /^Invalid container name/, remedies: badName },
  { says: /invalid reference format/, remedies: badReference },
  { says: /^invalid filter/i, remedies: noSuchFilter },
  { says: /^network (.+) not found$/, remedies: ({ at }) => [listing("List the networks", at("/networks"))] },
  {
    says: /is a pre-defined network and cannot be removed$/,
    remedies: () => [words("This is one of the engine's own networks: only created networks can be removed")],
  },
  { says: /no such volume$/, remedies: ({ at }) => [listing("List the volumes", at("/volumes"))] },
  {
    says: /no space left/i,
    remedies: again("Free some space (lift the fault, or remove images and containers), then send the request again"),
  },
  {
    says: /(?:connection refused|no such host|EOF|connection reset|unreachable)/i,
    remedies: again("Once the registry is back, send the request again"),
  },
];

/** Used if no sentence matches. */
const STATUSES: Readonly<Record<number, (asked: Asked) => Remedy[]>> = {
  0: () => [words("The engine is down: start it again, then send the request again")],
  304: notModified,
  401: withCredentials,
  500: again("Send it again"),
  501: notBuilt,
};
