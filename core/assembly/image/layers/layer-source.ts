// Compares the sources of layers.

import { Box } from "../../../../build/bindings/runtime";
import {
  Credentials,
  Endpoint,
  HeaderPlace,
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
  if (!isSameWay(from.endpoint, its.endpoint)) return false;
  return areSame(from.credentials, its.credentials);
}

/** One host may stand for several registries, and be contacted with and without TLS. */
function isSameWay(one: Endpoint, other: Endpoint): bool {
  if (one.standsFor != other.standsFor || one.security.length != other.security.length) return false;
  for (let i = 0; i < one.security.length; i++) if (one.security[i] != other.security[i]) return false;
  const way = one.way;
  const its = other.way;
  if (way === null || its === null) return way === its;
  if (way.path != its.path || !isSameTime(way.connectWithin, its.connectWithin)) return false;
  if (!isSameList(way.authorities, its.authorities) || !isSamePlace(way.headers, its.headers)) return false;
  if (way.certificates.length != its.certificates.length) return false;
  for (let i = 0; i < way.certificates.length; i++) {
    if (way.certificates[i].certificate != its.certificates[i].certificate) return false;
    if (way.certificates[i].key != its.certificates[i].key) return false;
  }
  return true;
}

function isSameTime(one: Box<u32> | null, other: Box<u32> | null): bool {
  if (one === null || other === null) return one === other;
  return one.value == other.value;
}

function isSamePlace(one: HeaderPlace | null, other: HeaderPlace | null): bool {
  if (one === null || other === null) return one === other;
  return one.file == other.file && one.host == other.host;
}

function isSameList(one: string[], other: string[]): bool {
  if (one.length != other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] != other[i]) return false;
  return true;
}

function areSame(one: Credentials | null, other: Credentials | null): bool {
  if (one === null || other === null) return one === other;
  if (one.username != other.username || one.password != other.password) return false;
  if (one.identityToken != other.identityToken || one.registryToken != other.registryToken) return false;
  return one.meta == other.meta;
}
