// Compares the sources of layers.

import {
  Credentials,
  Endpoint,
  LayerSource,
  LayerSourceArchived,
  LayerSourceRegistry,
  LayerSourceTag,
} from "../../../../build/bindings/types";

/** Sources with different credentials differ: a registry may refuse one client and accept another. */
export function isSameSource(one: LayerSource, other: LayerSource): bool {
  if (one.tag != other.tag) return false;
  if (one.tag == LayerSourceTag.Archived) {
    const member = (<LayerSourceArchived>one).value;
    const another = (<LayerSourceArchived>other).value;
    return member.archive == another.archive && member.path == another.path;
  }
  const from = (<LayerSourceRegistry>one).value.from;
  const its = (<LayerSourceRegistry>other).value.from;
  if (from.repository != its.repository || from.endpoint.authority != its.endpoint.authority) return false;
  if (pathOf(from.endpoint) != pathOf(its.endpoint)) return false;
  return areSame(from.credentials, its.credentials);
}

/** One host may stand for several registries. */
function pathOf(endpoint: Endpoint): string {
  const way = endpoint.way;
  return way === null ? "" : way.path;
}

function areSame(one: Credentials | null, other: Credentials | null): bool {
  if (one === null || other === null) return one === other;
  if (one.username != other.username || one.password != other.password) return false;
  return one.identityToken == other.identityToken && one.registryToken == other.registryToken;
}
