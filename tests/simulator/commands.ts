// The commands of the WIT, from core/bindgen. Their types make sure that handwritten lists name only existing
// commands.

import { COMMANDS } from "../../build/core/commands.js";

type Commands = typeof COMMANDS;

/** An interface of the world. */
export type Interface = keyof Commands;

export type CommandOf<To extends Interface> = keyof Commands[To] & string;

const { processes, content, networks, volumes } = COMMANDS;

/** Commands that a host carries out and reports as completed. Records, timers and replies are not among them. */
export type HostCommand = CommandOf<"processes"> | CommandOf<"content"> | CommandOf<"networks"> | CommandOf<"volumes">;

/** A command's interface and name. */
export type Kind = { [To in Interface]: `${To} ${CommandOf<To>}` }[Interface];

/** All commands, in the order of the WIT. */
export const KINDS: readonly Kind[] = Object.entries(COMMANDS).flatMap(([to, commands]) =>
  Object.keys(commands).map((name) => `${to} ${name}` as Kind),
);

const OF_HOSTS = [processes, content, networks, volumes].flatMap((commands) => Object.entries(commands));

/** The commands of hosts. Two interfaces may have a command of the same name. */
export const HOST_COMMANDS: readonly HostCommand[] = OF_HOSTS.map(([name]) => name as HostCommand);

/** The commands of hosts that change something. */
export const CHANGES: readonly HostCommand[] = OF_HOSTS.flatMap(([name, { kind }]) =>
  kind === "ask" ? [] : [name as HostCommand],
);
