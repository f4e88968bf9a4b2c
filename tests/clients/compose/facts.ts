// What a project has on an engine: facts of inspect that do not change from one run to the next.
import type { EngineClient } from "../../support/engine-client.js";

export interface ContainerFacts {
  readonly status: string;
  readonly exitCode: number;
  readonly restarts: number;
  /** The name of the restart policy. */
  readonly policy: string;
  /** By network: the fixed addresses, if any, and the aliases without the short id. */
  readonly networks: Readonly<Record<string, readonly string[]>>;
  /** `NAME:PLACE:ro` or `rw`; anonymous volumes and tmpfs have no name. */
  readonly mounts: readonly string[];
}

interface Inspected {
  readonly Id: string;
  readonly Name: string;
  readonly State: { readonly Status: string; readonly ExitCode: number };
  readonly RestartCount: number;
  readonly HostConfig: { readonly RestartPolicy: { readonly Name: string } };
  readonly NetworkSettings: { readonly Networks: Readonly<Record<string, Endpoint>> };
  readonly Mounts: readonly { Type: string; Name?: string; Destination: string; RW: boolean }[];
}

interface Endpoint {
  readonly IPAMConfig: { readonly IPv4Address?: string; readonly IPv6Address?: string } | null;
  readonly IPAddress: string;
  readonly GlobalIPv6Address: string;
  readonly Aliases: readonly string[] | null;
}

/** All containers, by name. */
export async function containerFacts(engine: EngineClient): Promise<Record<string, ContainerFacts>> {
  const listed = await engine.read<{ Id: string }[]>("/containers/json?all=1");
  const all = await Promise.all(listed.map(({ Id }) => engine.inspect<Inspected>(Id)));
  return Object.fromEntries(all.map((one) => [one.Name.slice(1), factsOf(one)]));
}

function factsOf({ Id, State, RestartCount, HostConfig, NetworkSettings, Mounts }: Inspected): ContainerFacts {
  const networks = Object.entries(NetworkSettings.Networks).map(([name, endpoint]) => {
    const { IPAMConfig, IPAddress, GlobalIPv6Address, Aliases } = endpoint;
    const given = IPAMConfig?.IPv4Address === undefined ? [] : [IPAddress];
    if (IPAMConfig?.IPv6Address !== undefined) given.push(GlobalIPv6Address);
    const aliases = (Aliases ?? []).filter((alias) => alias !== Id.slice(0, 12));
    return [name, [...given, ...aliases.sort()]] as const;
  });
  return {
    status: State.Status,
    exitCode: State.ExitCode,
    restarts: RestartCount,
    policy: HostConfig.RestartPolicy.Name || "no",
    networks: Object.fromEntries(networks),
    mounts: Mounts.map(({ Name, Destination, RW }) => {
      const name = Name === undefined || /^[0-9a-f]{64}$/.test(Name) ? "" : Name;
      return `${name}:${Destination}:${RW ? "rw" : "ro"}`;
    }).sort(),
  };
}

interface Network {
  readonly Id: string;
  readonly Name: string;
  readonly Driver: string;
  readonly Internal: boolean;
  readonly EnableIPv6: boolean;
  readonly IPAM: { readonly Config: readonly unknown[] };
  readonly Options: Readonly<Record<string, string>> | null;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Containers: Readonly<Record<string, { readonly Name: string }>>;
}

/** The networks that the project made, by name, with the names of their containers. */
export async function networkFacts(engine: EngineClient): Promise<Record<string, unknown>> {
  const listed = await engine.read<Network[]>("/networks?filters={%22type%22:[%22custom%22]}");
  const all = await Promise.all(listed.map(({ Id }) => engine.read<Network>(`/networks/${Id}`)));
  const facts = all.map(({ Name, Driver, Internal, EnableIPv6, IPAM, Options, Labels, Containers }) => {
    const names = Object.values(Containers).map((one) => one.Name);
    const told = { Driver, Internal, EnableIPv6, Config: IPAM.Config, Options, Labels, Containers: names.sort() };
    return [Name, told] as const;
  });
  return Object.fromEntries(facts);
}

/** The named volumes: their options and labels. */
export async function volumeFacts(engine: EngineClient): Promise<Record<string, unknown>> {
  const { Volumes } = await engine.read<{
    Volumes: { Name: string; Driver: string; Options: unknown; Labels: unknown }[];
  }>("/volumes");
  const named = Volumes.filter(({ Name }) => !/^[0-9a-f]{64}$/.test(Name));
  return Object.fromEntries(named.map(({ Name, Driver, Options, Labels }) => [Name, { Driver, Options, Labels }]));
}
