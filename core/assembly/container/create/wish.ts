// What the client of create asks for: the body, merged with the image's config and checked (surface §2.14).

import { Image } from "../../image/image";
import { parsePlatform, Platform, platformError, platformFits } from "../../image/platform";
import { imageStore } from "../../image/store";
import { Json } from "../../json/json";
import { withoutBindings } from "../../network/port-wishes";
import { badParameter, notFound, Refusal } from "../../refusal";
import { engine } from "../../state";
import { cleanPath } from "../../text/path";
import { resolveMode } from "../endpoint/shared-network";
import { Link } from "../links/link";
import { readLinks } from "../links/links";
import { MountList } from "../mounts/mount-list";
import { MountPoint } from "../mounts/mount-point";
import { fillLogConfig } from "../output/log-config";
import { nameOthersById } from "../spec/namespaces";
import { runtimeNames } from "../start/oci-runtimes";
import { CreateBody } from "./create-body";
import { DefaultFacts, fillHostConfig, fillHostname } from "./defaults";
import { mergeImageConfig } from "./merge";
import { refuseContainer, ValidationFacts } from "./validate";
import { dropUnsupported, kernelFacts } from "./warnings";

/** From this version on, clients are warned about ports with an empty list of bindings (surface §3). */
const EMPTY_LISTS_TOLD: i32 = 52;
/** The version from which the daemon warns that `VolumeDriver` does not apply to `Mounts` (surface §3). */
const WITH_WARNING = 48;

export class Wish {
  refusal: Refusal | null = null;
  config: Json = Json.object();
  hostConfig: Json = Json.object();
  image: Image | null = null;
  warnings: string[] = [];
  /** Hardware address; empty if the engine chooses one. */
  mac: string = "";
  /** Endpoint settings that inspect shows. */
  settings: Uint8Array = new Uint8Array(0);
  mounts: MountPoint[] = [];
  links: Link[] = [];

  constructor(private readonly version: i32) {}

  /** Fills in what depends on the container's id and the machine. */
  finish(shortId: string): void {
    const machine = engine.options.machine;
    const facts = new DefaultFacts();
    facts.version = this.version;
    facts.cgroupVersion = machine.cgroupVersion;
    facts.defaultRuntime = engine.options.defaultRuntime;
    fillHostConfig(this.hostConfig, facts);
    const directory = this.config.stringOf("WorkingDir");
    if (directory.length > 0) this.config.set("WorkingDir", Json.string(cleanPath(directory)));
    fillHostname(this.config, this.hostConfig, shortId, machine.name);
  }
}

/** Changes `body`. `platform`: the platform that the client asks for; empty for any. */
export function readWish(body: CreateBody, version: i32, platform: string): Wish {
  const wish = new Wish(version);
  wish.refusal = read(wish, body, version, platform);
  return wish;
}

function read(wish: Wish, body: CreateBody, version: i32, platform: string): Refusal | null {
  if (body.refusal !== null) return body.refusal;
  const problem = findImage(wish, body.config.stringOf("Image"), version >= 41 ? platform : "");
  if (problem !== null) return problem;
  const image = wish.image;
  const merged = mergeImageConfig(body.config, image === null ? null : image.containerConfig());
  if (merged.error.length > 0) return badParameter(merged.error);
  wish.config = merged.config;
  wish.hostConfig = body.hostConfig;
  wish.mac = body.mac;
  wish.settings = body.settings;
  wish.warnings = wish.warnings.concat(body.warnings);
  fillLogConfig(wish.hostConfig);
  resolveMode(wish.hostConfig, "NetworkMode");
  warnOfPorts(wish, version);
  warnOfVolumeDriver(wish, version);
  const facts = validationFacts();
  wish.warnings = wish.warnings.concat(dropUnsupported(wish.hostConfig, facts.kernel));
  const refusal = refuseContainer(wish.config, wish.hostConfig, facts);
  if (refusal !== null) return refusal;
  const unknown = nameOthersById(wish.hostConfig);
  if (unknown !== null) return unknown;
  const links = readLinks(wish.hostConfig);
  wish.links = links.links;
  return links.refusal === null ? takeMounts(wish, version) : links.refusal;
}

function takeMounts(wish: Wish, version: i32): Refusal | null {
  const list = new MountList(wish.config, wish.hostConfig, version);
  wish.mounts = list.points;
  return list.refusal;
}

function validationFacts(): ValidationFacts {
  const facts = new ValidationFacts();
  facts.cpus = <i32>engine.options.machine.cpus;
  facts.init = engine.options.machine.init !== null;
  facts.ownProcesses = engine.options.machine.ownProcesses;
  facts.kernel = kernelFacts(engine.options.machine);
  facts.runtimes = runtimeNames();
  facts.defaultRuntime = engine.options.defaultRuntime;
  return facts;
}

/** A container without an image is allowed: it has no files except those it writes. */
function findImage(wish: Wish, reference: string, platform: string): Refusal | null {
  if (reference.length == 0) return null;
  const lookup = imageStore.lookUp(reference);
  const image = lookup.image;
  if (image === null) return lookup.refusal;
  wish.image = image;
  const host = hostPlatform();
  const actual = new Platform(image.os, image.architecture, image.variant);
  if (platform.length == 0) {
    if (!platformFits(actual, host)) warnOfPlatform(wish, actual, host);
    return null;
  }
  const wanted = parsePlatform(platform, host);
  if (wanted === null) return badParameter(platformError());
  if (platformFits(actual, wanted)) return null;
  return notFound(
    `image with reference ${reference} was found but does not match the specified platform: ` +
      `wanted ${wanted.text}, actual: ${actual.text}`,
  );
}

function hostPlatform(): Platform {
  const machine = engine.options.machine;
  return new Platform(machine.os, machine.architecture, machine.variant);
}

function warnOfPlatform(wish: Wish, actual: Platform, host: Platform): void {
  wish.warnings.push(
    `The requested image's platform (${actual.text}) does not match the detected host platform (${host.text}) ` +
      "and no specific platform was requested",
  );
}

/** Before `WITH_WARNING` the client itself gave this warning. */
function warnOfVolumeDriver(wish: Wish, version: i32): void {
  const mounts = wish.hostConfig.entry("Mounts");
  if (version < WITH_WARNING || mounts === null || wish.hostConfig.stringOf("VolumeDriver").length == 0) return;
  for (let i = 0; i < mounts.items.length; i++) {
    if (mounts.items[i].stringOf("Type") != "volume" || hasDriver(mounts.items[i])) continue;
    wish.warnings.push(
      "WARNING: the container-wide volume-driver configuration is ignored for volumes specified via 'mount'. " +
        "Use '--mount type=volume,volume-driver=...' instead",
    );
    return;
  }
}

function hasDriver(mount: Json): bool {
  const options = mount.entry("VolumeOptions");
  const config: Json | null = options === null ? null : options.entry("DriverConfig");
  return config !== null && config.stringOf("Name").length > 0;
}

function warnOfPorts(wish: Wish, version: i32): void {
  const bindings = wish.hostConfig.entry("PortBindings");
  if (bindings === null || bindings.length == 0) return;
  const empty = withoutBindings(bindings);
  if (version >= EMPTY_LISTS_TOLD && empty.length > 0) {
    wish.warnings.push(
      `Following container port(s) have an empty list of port-bindings: ${empty.join(", ")}. ` +
        "Such bindings will be discarded in a future version.",
    );
  }
  if (wish.hostConfig.stringOf("NetworkMode") != "host") return;
  wish.warnings.push("Published ports are discarded when using host network mode");
}
