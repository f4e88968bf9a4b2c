// The commands that there are, as core/bindgen has them of the WIT: whoever lists some by hand names none that is not there.

import { COMMANDS } from "../../build/core/commands.js";

type Commands = typeof COMMANDS;

/** An interface of the world. */
export type Interface = keyof Commands;

export type CommandOf<To extends Interface> = keyof Commands[To] & string;

const { processes, content, networks, volumes } = COMMANDS;

/** What a host carries out, and says that it has: no records, no timers, no answers. */
export type HostCommand = CommandOf<"processes"> | CommandOf<"content"> | CommandOf<"networks"> | CommandOf<"volumes">;

/** By interface and name. */
export type Kind = { [To in Interface]: `${To} ${CommandOf<To>}` }[Interface];

/** All, in the order of the WIT. */
export const KINDS: readonly Kind[] = Object.entries(COMMANDS).flatMap(([to, commands]) =>
  Object.keys(commands).map((name) => `${to} ${name}` as Kind),
);

const OF_HOSTS = [processes, content, networks, volumes].flatMap((commands) => Object.entries(commands));

/** Those of hosts; two interfaces may have one of the same name. */
export const HOST_COMMANDS: readonly HostCommand[] = OF_HOSTS.map(([name]) => name as HostCommand);

/** Those of them that change something. */
export const CHANGES: readonly HostCommand[] = OF_HOSTS.flatMap(([name, { kind }]) =>
  kind === "ask" ? [] : [name as HostCommand],
);
