// The options of a Linux host.

/** Where the Linux host stores data, and which runtimes it uses. */
export interface LinuxOptions {
  /**
   * Directory for everything that must be kept: images, containers' files, records. Absolute; for one engine at a time.
   */
  dataRoot: string;
  /** Directory for what lasts until the next reboot: mounts, networks, sockets. Absolute; not the daemon's. */
  execRoot: string;
  /** OCI runtimes by name, with their programs' paths, in addition to those that are found. The first found is used. */
  runtimes?: Readonly<Record<string, string>>;
  /** How many bytes of events are kept; 64 MiB by default. */
  journalBytes?: number;
}
