// POST /swarm/init and /swarm/join (surface §2.27): invalid requests
// are refused as Docker refuses them. There is no swarm to enter.

import { readObject } from "../api/json-body";
import { Call } from "../call";
import { Json } from "../json/json";
import { Field, FieldType, Table } from "../json/table";
import { badParameter, notSupported, Refusal } from "../refusal";

const INIT: Table = new Table(
  "InitRequest",
  [
    new Field("ListenAddr", FieldType.String, '""'),
    new Field("AdvertiseAddr", FieldType.String, '""'),
    new Field("DataPathAddr", FieldType.String, '""'),
    new Field("Spec", FieldType.Struct, "{}")
      .typed("swarm.Spec")
      .of(new Table("Spec", [new Field("Name", FieldType.String, '""')])),
  ],
  "swarm.InitRequest",
);

const JOIN: Table = new Table(
  "JoinRequest",
  [
    new Field("ListenAddr", FieldType.String, '""'),
    new Field("AdvertiseAddr", FieldType.String, '""'),
    new Field("DataPathAddr", FieldType.String, '""'),
    new Field("RemoteAddrs", FieldType.Strings, "null"),
    new Field("JoinToken", FieldType.String, '""'),
  ],
  "swarm.JoinRequest",
);

export function initSwarm(call: Call): Refusal | null {
  const body = readObject(call, INIT);
  const wish = body.json;
  if (wish === null) return body.refusal;
  const name = wish.entry("Spec")!.stringOf("Name");
  if (wish.stringOf("ListenAddr").length == 0) return noAddress("ListenAddr");
  return name.length == 0 || name == "default" ? noSwarm() : badParameter('swarm spec must be named "default"');
}

export function joinSwarm(call: Call): Refusal | null {
  const body = readObject(call, JOIN);
  const wish = body.json;
  if (wish === null) return body.refusal;
  return refuseJoin(wish);
}

function refuseJoin(wish: Json): Refusal {
  if (wish.stringOf("ListenAddr").length == 0) return noAddress("ListenAddr");
  const others = wish.stringsOf("RemoteAddrs");
  if (others.length == 0) return badParameter("at least 1 RemoteAddr is required to join");
  return others.includes("") ? noAddress("remoteAddr") : noSwarm();
}

function noAddress(what: string): Refusal {
  return badParameter(`invalid ${what} "": invalid empty address`);
}

function noSwarm(): Refusal {
  return notSupported("this engine has no swarm mode: it can neither begin nor join a swarm");
}
