// Removes what the settings do not let stay in the builder's cache. No event tells of it: Docker has none either.

import { builderSettings } from "../settings/builder-settings";
import { due } from "./due";
import { removeEntries } from "./removal";

/** At the end of each step. */
export function collectCaches(): void {
  if (!due.take()) return;
  const rules = builderSettings().rules;
  for (let i = 0; i < rules.length; i++) removeEntries(rules[i].filter, rules[i].limits);
}
