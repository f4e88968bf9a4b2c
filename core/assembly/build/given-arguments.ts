// The build arguments that the client gives, and the predefined ones.

import { hostPlatform } from "../image/host-platform";
import { BuildArguments } from "./evaluation/build-arguments";
import { declarePlatforms } from "./evaluation/platform-arguments";
import { BuildOptions } from "./options";

export function giveArguments(options: BuildOptions, args: BuildArguments): void {
  const given = options.buildArgs;
  args.pairsProxies = options.onlyCaches;
  for (let i = 0; i < given.keys.length; i++) {
    args.give(given.keys[i], given.items[i].isNull ? null : given.stringOf(given.keys[i]));
  }
  const own = hostPlatform();
  const wanted = options.platform;
  declarePlatforms(args, wanted === null ? own : wanted, own);
}
