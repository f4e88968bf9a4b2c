// POST /networks/create (surface §2.24).

import {
  Failure,
  NetworkCommand,
  NetworkCommandTag,
  Outcome,
  OutcomeNames,
  OutcomeTag,
} from "../../../build/bindings/types";
import { readObject } from "../api/json-body";
import { askNetworks } from "../ask";
import { Call } from "../call";
import { Json } from "../json/json";
import { badParameter, conflict, forbidden, notFound, Refusal } from "../refusal";
import { sendRefusal } from "../reply";
import { engine } from "../state";
import { NO_MANAGER } from "../swarm/outside";
import { Task } from "../task";
import { refuseBridgeOptions } from "./bridge-settings";
import { configFrom, configured, refuseConfiguration } from "./configuration";
import { CREATE } from "./create-table";
import { NetworkCreation } from "./creation";
import { familyOptionProblem, keepFamilyOptions, wantsIpv4, wantsIpv6 } from "./families";
import { chooseIpam, keepIpam } from "./ipam/ipam-choice";
import { refuseIpam } from "./ipam/ipam-problems";
import { Network } from "./network";
import { refuseParent, refuseParentOptions } from "./parent/parent-problems";
import { isParentDriver } from "./parent/parent-settings";
import { networkStore } from "./store";

const NO_POOLS: string = "null ipam driver does not handle specific address pool requests";
const NO_FAMILY: string = "IPv4 or IPv6 must be enabled";

export function createNetwork(call: Call): Refusal | null {
  const body = readObject(call, CREATE);
  const wish = body.json;
  if (wish === null) return body.refusal;
  const name = wish.stringOf("Name");
  if (name.trim().length == 0) return badParameter(`invalid name: ${name}`);
  if (waitsForName(call, name)) return null;
  const refusal = refuseName(name);
  if (refusal !== null) return refusal;
  const refused = refuseWish(wish, call.version);
  if (refused === null) askNetworks(new Addition(call, wish), 0, new NetworkCommand(NetworkCommandTag.Routes));
  return refused;
}

/** Whether it is not known yet if the name is free: its network is just being made or removed. */
function waitsForName(call: Call, name: string): bool {
  const other = networkStore.named(name);
  if (other === null || !(other.removing || other.creating)) return false;
  other.queue.push(call);
  return true;
}

function refuseName(name: string): Refusal | null {
  const other = networkStore.named(name);
  if (name == "default" || (other !== null && other.isBuiltIn)) {
    return forbidden(`operation is not permitted on predefined ${name} network `);
  }
  return other === null ? null : conflict(`network with name ${name} already exists`);
}

/**
 * Continues with the machine's routes as they are now: since the engine opened, another engine, or whoever administers
 * the machine, may have added some.
 */
class Addition extends Task {
  constructor(
    private readonly call: Call,
    private readonly wish: Json,
  ) {
    super();
  }

  /** If the routes cannot be read, or in a dry run, those that were known before count. */
  ended(_step: i32, outcome: Outcome | null, _failure: Failure | null): void {
    if (outcome !== null && outcome.tag == OutcomeTag.Names) {
      engine.options.machine.routes = (<OutcomeNames>outcome).value;
    }
    const name = this.wish.stringOf("Name");
    if (waitsForName(this.call, name)) return;
    const refusal = refuseName(name);
    const refused = refusal === null ? addNetwork(this.call, this.wish) : refusal;
    if (refused !== null) sendRefusal(this.call, refused);
  }
}

function refuseWish(wish: Json, version: i32): Refusal | null {
  const configuration = refuseConfiguration(wish);
  if (configuration !== null) return configuration;
  if (wish.boolOf("ConfigOnly")) {
    const problem = refuseFamilies(wish, version);
    return problem === null ? refuseIpamDriver(wish, version) : problem;
  }
  const driver = wish.stringOf("Driver");
  if (driver == "overlay") return forbidden(NO_MANAGER);
  if (driver == "host" || driver == "null") return forbidden(`only one instance of "${driver}" network is allowed`);
  const scope = refuseScope(wish);
  if (scope !== null) return scope;
  if (driver.length > 0 && driver != "bridge" && !isParentDriver(driver))
    return notFound(`plugin "${driver}" not found`);
  return refuseAddresses(configured(wish), version);
}

/** A network of another scope belongs to a swarm. */
function refuseScope(wish: Json): Refusal | null {
  const scope = wish.stringOf("Scope");
  if (scope == "swarm") return forbidden("cannot create a swarm scoped network when swarm is not active");
  if (scope.length > 0 && scope != "local") return forbidden(NO_MANAGER);
  return wish.boolOf("Ingress") ? forbidden("Ingress network can only be global scope network") : null;
}

/** What is wrong with the addresses that the client gave. */
function refuseFamilies(wish: Json, version: i32): Refusal | null {
  const option = familyOptionProblem(wish, version);
  if (option.length > 0) return badParameter(option);
  const ipv6 = wantsIpv6(wish);
  // Containers on a macvlan or ipvlan network may get their addresses elsewhere, for example by DHCP.
  const mayHaveNone = isParentDriver(wish.stringOf("Driver"));
  if (!ipv6 && !mayHaveNone && !wantsIpv4(wish, version)) return badParameter(NO_FAMILY);
  return refuseIpam(configsOf(wish), ipv6);
}

function refuseAddresses(wish: Json, version: i32): Refusal | null {
  const problem = refuseFamilies(wish, version);
  if (problem !== null) return problem;
  const driver = refuseIpamDriver(wish, version);
  if (driver !== null) return driver;
  const options = wish.entry("Options");
  const network = wish.stringOf("Driver");
  return isParentDriver(network)
    ? refuseParentOptions(network, options)
    : refuseBridgeOptions(options, wish.boolOf("Internal"));
}

/**
 * A configuration, too, brings none but the built-in ones: networks that have it would lose another one silently. The
 * driver `null` gives no addresses, and none of Docker's drivers of networks can be without those of its families.
 */
function refuseIpamDriver(wish: Json, version: i32): Refusal | null {
  const ipam = wish.entry("IPAM");
  const driver = ipam === null ? "" : ipam.stringOf("Driver");
  if (driver == "null") {
    if (wish.boolOf("ConfigOnly")) return null;
    if (configsOf(wish).length > 0) return badParameter(NO_POOLS);
    return badParameter(wantsIpv4(wish, version) ? "ipv4 pool is empty" : "ipv6 pool is empty");
  }
  return driver.length > 0 && driver != "default" ? notFound(`plugin "${driver}" not found`) : null;
}

function configsOf(wish: Json): Json {
  const ipam = wish.entry("IPAM");
  const configs: Json | null = ipam === null ? null : ipam.entry("Config");
  return configs === null || configs.isNull ? Json.array() : configs;
}

function addNetwork(call: Call, given: Json): Refusal | null {
  // The configuration that it asks for may have been removed meanwhile, or may be another one.
  const unusable = refuseWish(given, call.version);
  if (unusable !== null) return unusable;
  const wish = configured(given);
  const network = networkOf(wish, call.version);
  if (network.configOnly) {
    keepIpam(network, configsOf(wish));
    new NetworkCreation(call, network).keep();
    return null;
  }
  const refusal = chooseIpam(network, configsOf(wish));
  if (refusal !== null) return refusal;
  const taken = network.isOnParent ? refuseParent(network) : takeInterface(network);
  if (taken !== null) return taken;
  new NetworkCreation(call, network).begin();
  return null;
}

/**
 * Chooses the name of its interface; returns why it cannot have the one that the client wants. That of the default bridge
 * is taken.
 */
function takeInterface(network: Network): Refusal | null {
  const settings = network.settings;
  const isNamed = settings.interfaceName.length > 0;
  const asked =
    !isNamed && settings.isDefaultBridge ? networkStore.named("bridge")!.interfaceName : settings.interfaceName;
  const clash = asked.length > 0 ? networkStore.withInterface(asked) : null;
  if (clash !== null) return forbidden(sameInterface(network, clash, asked));
  network.interfaceName = asked.length > 0 ? asked : `br-${network.id.slice(0, 12)}`;
  return null;
}

function sameInterface(network: Network, other: Network, name: string): string {
  return (
    `cannot create network ${network.id} (${name}): conflicts with network ${other.id} (${name}): ` +
    "networks have same bridge name"
  );
}

function networkOf(wish: Json, version: i32): Network {
  const isConfiguration = wish.boolOf("ConfigOnly");
  const driver = wish.stringOf("Driver");
  const usual = driver.length > 0 ? driver : "bridge";
  const network = new Network(engine.ids.next(), wish.stringOf("Name"), isConfiguration ? "null" : usual);
  network.created = engine.now.wall;
  network.withoutIpv4 = !wantsIpv4(wish, version);
  network.withIpv6 = wantsIpv6(wish);
  network.internal = wish.boolOf("Internal");
  network.attachable = wish.boolOf("Attachable");
  network.configOnly = isConfiguration;
  network.configFrom = configFrom(wish);
  const ipam = wish.entry("IPAM");
  if (ipam !== null) {
    network.withoutAddresses = ipam.stringOf("Driver") == "null";
    takeMap(ipam.entry("Options"), network.ipamOptionKeys, network.ipamOptionValues);
  }
  takeMap(wish.entry("Options"), network.optionKeys, network.optionValues);
  keepFamilyOptions(network, wish, version);
  takeMap(wish.entry("Labels"), network.labelKeys, network.labelValues);
  return network;
}

/** `map`: an object whose values are strings, or null. */
function takeMap(map: Json | null, keys: string[], values: string[]): void {
  if (map !== null) map.takeTexts(keys, values);
}
