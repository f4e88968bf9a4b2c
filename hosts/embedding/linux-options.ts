// What a Linux host is opened with.

/** Where the Linux host keeps things, and what it runs containers with. */
export interface LinuxOptions {
  /** Directory of all that must be kept: images, containers' files, records. Absolute; one engine at a time. */
  dataRoot: string;
  /** Directory of what lives as long as the machine runs: mounts, networks, sockets. Absolute; not the daemon's. */
  execRoot: string;
  /** OCI runtimes by name, with the paths of their programs, besides those that are found. The first found is used. */
  runtimes?: Readonly<Record<string, string>>;
  /** Bytes of events that are kept; 64 MiB if not given. */
  journalBytes?: number;
}
