// The options that tell the core about its engine.

import type { DriverOptions } from "../driver/index.js";
import { VERSION } from "../shared/index.js";
import type { Host, engine } from "../shared/index.js";
import { ociRuntimesOf } from "./oci-runtimes.js";

/** Settings that can change while an engine runs. */
export interface EngineSettings {
  debug?: boolean;
  /** Registries that may be used without TLS. */
  insecureRegistries?: readonly string[];
  /** Mirrors of the Hub: `https://mirror.example`. */
  registryMirrors?: readonly string[];
  /** Hosts that stand for registries, as in a `hosts.toml` of containerd. */
  registryHosts?: readonly engine.RegistryHosts[];
  labels?: readonly string[];
  /** By name; null or missing: the host's first. */
  defaultRuntime?: string | null;
}

/** Options that do not follow from the host. */
export interface EngineIdentity extends EngineSettings {
  /** The platform that the engine runs on, for people. */
  platform: string;
  dataRoot: string;
  execRoot: string;
  /** JSON bodies larger than this many bytes are refused; 4 MiB by default. */
  bodyLimit?: number;
  /** Most bytes of a tar after decompression; 256 GiB by default. */
  unpackedLimit?: number | null;
  /** Most bytes of an image's index, manifest or config; 4 MiB by default. */
  documentLimit?: number | null;
  /** Most layers of an image; 125 by default. */
  layerLimit?: number | null;
  /** The newest API version that is served, such as `1.41`; null or missing: the newest that the core knows. */
  maxApiVersion?: string | null;
  /** Names of listeners that serve an older one, with the newest version there. */
  listenerVersions?: Iterable<[string, string]>;
  /** Settings of networks; those that are missing are the usual ones. */
  networks?: Partial<engine.NetworkOptions>;
  /** Without user and password. */
  shownProxies?: engine.Proxies;
  logDriver?: string;
  logOptions?: Iterable<[string, string]>;
  /** Settings of the builder in JSON, as Docker's daemon.json has them. */
  builder?: string;
}

/** The core chooses what is empty. */
export const USUAL_NETWORKS: engine.NetworkOptions = {
  bridgeAddress: "",
  bridgeRange: "",
  bridgeGateway: "",
  bridgeIpv6: false,
  bridgeIpv6Address: "",
  bridgeIpv6Range: "",
  bridgeIpv6Gateway: "",
  bridgeMtu: "",
  bridgeBinding: "",
  bridgeConnects: true,
  bridgeMasquerades: true,
  forwards: true,
  firewall: true,
  proxies: true,
  addressPools: [],
};

const BODY_LIMIT = 4 * 1024 * 1024;
/** More than any useful image or context has, but less than a small bomb can hold. */
const UNPACKED_LIMIT = 256 * 1024 ** 3;
const DOCUMENT_LIMIT = 4 * 1024 * 1024;
/** Docker's. */
const LAYER_LIMIT = 125;

export function coreOptions(host: Host, given: EngineIdentity): DriverOptions["engine"] {
  const { platform, dataRoot, execRoot, bodyLimit = BODY_LIMIT, logDriver = "json-file", logOptions = [] } = given;
  return {
    ...{ version: VERSION, commit: "", built: "", platform, dataRoot, execRoot, bodyLimit },
    unpackedLimit: BigInt(given.unpackedLimit ?? UNPACKED_LIMIT),
    ...{ documentLimit: given.documentLimit ?? DOCUMENT_LIMIT, layerLimit: given.layerLimit ?? LAYER_LIMIT },
    ...{ maxApiVersion: given.maxApiVersion ?? "", listenerVersions: [...(given.listenerVersions ?? [])] },
    ...settingsOf(host, given),
    proxies: given.shownProxies ?? { http: "", https: "", none: "" },
    ...{ logDriver, logOptions: [...logOptions], networks: { ...USUAL_NETWORKS, ...given.networks } },
    builder: given.builder ?? "",
    machine: host.machine,
  };
}

/** The changeable settings, with the runtimes that the host has now. */
export function settingsOf(host: Pick<Host, "runtimes">, given: EngineSettings): engine.Settings {
  const { debug = false, insecureRegistries = [], registryMirrors = [], labels = [], defaultRuntime } = given;
  const { registryHosts = [] } = given;
  const runtimes = ociRuntimesOf(host);
  return {
    ...{ debug, insecureRegistries: [...insecureRegistries], registryMirrors: [...registryMirrors] },
    ...{ registryHosts: [...registryHosts], labels: [...labels], runtimes },
    defaultRuntime: defaultRuntime ?? runtimes[0]?.name ?? "",
  };
}
