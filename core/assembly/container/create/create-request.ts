// What the client of create asks for: the body, merged with the image's config and checked (surface §2.14).

import { Image } from "../../image/image";
import { parsePlatform, Platform, platformError, platformFits } from "../../image/platform";
import { imageStore } from "../../image/store";
import { Json } from "../../json/json";
import { Endpoint } from "../../network/endpoint/endpoint";
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
import { defaultsOf } from "./image-defaults";
import { mergeImageConfig } from "./merge";
import { dropUnsupported, kernelFacts } from "./unsupported-limits";
import { refuseContainer, ValidationFacts } from "./validate";
import { platformWarning, portWarnings, volumeDriverWarnings } from "./warnings";

export class CreateRequest {
  refusal: Refusal | null = null;
  config: Json = Json.object();
  hostConfig: Json = Json.object();
  image: Image | null = null;
  warnings: string[] = [];
  endpoints: Endpoint[] = [];
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
export function readCreateRequest(body: CreateBody, version: i32, platform: string): CreateRequest {
  const request = new CreateRequest(version);
  request.refusal = read(request, body, version, platform);
  return request;
}

function read(request: CreateRequest, body: CreateBody, version: i32, platform: string): Refusal | null {
  if (body.refusal !== null) return body.refusal;
  const problem = findImage(request, body.config.stringOf("Image"), version >= 41 ? platform : "");
  if (problem !== null) return problem;
  const merged = mergeImageConfig(body.config, defaultsOf(request.image));
  if (merged.error.length > 0) return badParameter(merged.error);
  request.config = merged.config;
  request.hostConfig = body.hostConfig;
  request.endpoints = body.wishes;
  request.warnings = request.warnings.concat(body.warnings);
  fillLogConfig(request.hostConfig);
  resolveMode(request.hostConfig, "NetworkMode");
  request.warnings = request.warnings.concat(portWarnings(request.hostConfig, version));
  request.warnings = request.warnings.concat(volumeDriverWarnings(request.hostConfig, version));
  const facts = validationFacts();
  request.warnings = request.warnings.concat(dropUnsupported(request.hostConfig, facts.kernel));
  const refusal = refuseContainer(request.config, request.hostConfig, facts);
  if (refusal !== null) return refusal;
  const unknown = nameOthersById(request.hostConfig);
  if (unknown !== null) return unknown;
  const links = readLinks(request.hostConfig);
  request.links = links.links;
  return links.refusal === null ? takeMounts(request, version) : links.refusal;
}

function takeMounts(request: CreateRequest, version: i32): Refusal | null {
  const list = new MountList(request.config, request.hostConfig, version);
  request.mounts = list.points;
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
function findImage(request: CreateRequest, reference: string, platform: string): Refusal | null {
  if (reference.length == 0) return null;
  const lookup = imageStore.lookUp(reference);
  const image = lookup.image;
  if (image === null) return lookup.refusal;
  request.image = image;
  const host = hostPlatform();
  const actual = new Platform(image.os, image.architecture, image.variant);
  if (platform.length == 0) {
    if (!platformFits(actual, host)) request.warnings.push(platformWarning(actual.text, host.text));
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
