// Container commands that send a single request each.

import { printedAs } from "../format.js";
import { container, each, get, one, post, remove } from "../planned.js";
import { query } from "../query.js";

const SECONDS = ["timeout,t", "time"];

export const STOP = each({
  about: "Ask containers to end, and kill them after a while",
  takes: { values: [...SECONDS, "signal,s"], since: { signal: "1.42" } },
  plan: (name, args) =>
    post(`${container(name)}/stop${query({ t: seconds(args), signal: args.value("signal") })}`, `stop ${name}`),
});

export const RESTART = each({
  about: "Stop containers and start them again",
  takes: { values: [...SECONDS, "signal,s"], since: { signal: "1.42" } },
  plan: (name, args) =>
    post(`${container(name)}/restart${query({ t: seconds(args), signal: args.value("signal") })}`, `restart ${name}`),
});

export const KILL = each({
  about: "Send containers a signal: KILL if none is given",
  takes: { values: ["signal,s"] },
  plan: (name, args) =>
    post(`${container(name)}/kill${query({ signal: args.value("signal") })}`, `send ${name} a signal`),
});

export const PAUSE = each({
  about: "Pause all processes of containers",
  takes: {},
  plan: (name) => post(`${container(name)}/pause`, `pause ${name}`),
});

export const UNPAUSE = each({
  about: "Resume paused containers",
  takes: {},
  plan: (name) => post(`${container(name)}/unpause`, `resume ${name}`),
});

export const WAIT = each({
  about: "Wait until containers end, and print their exit codes",
  takes: {},
  plan: (name) => post(`${container(name)}/wait`, `wait for the end of ${name}`),
  prints: (_args, answers) =>
    answers.map((one) => String((one as { StatusCode?: number } | null)?.StatusCode ?? "")).join("\n"),
});

export const REMOVE = each({
  about: "Remove containers",
  takes: { flags: ["force,f", "volumes,v", "link,l"] },
  plan: (name, args) =>
    remove(
      `${container(name)}${query({ force: args.flag("force"), v: args.flag("volumes"), link: args.flag("link") })}`,
      `remove ${name}`,
    ),
});

export const INSPECT = each({
  about: "Show details of containers",
  takes: { flags: ["size,s"], values: ["format,f"] },
  prints: (args, answers) => printedAs(args.value("format"), answers),
  plan: (name, args) => get(`${container(name)}/json${query({ size: args.flag("size") })}`, `inspect ${name}`),
});

export const RENAME = one({
  operands: "CONTAINER NAME",
  about: "Rename a container",
  takes: { least: 2 },
  names: "container",
  plan: ({ operands: [name = "", to = ""] }) =>
    post(`${container(name)}/rename${query({ name: to })}`, `rename ${name}`),
});

export const TOP = one({
  operands: "CONTAINER [OPTIONS OF ps]",
  about: "List the processes of a container",
  takes: { least: 1, most: Number.POSITIVE_INFINITY, stops: true },
  names: "container",
  plan: ({ operands: [name = "", ...ps] }) =>
    get(`${container(name)}/top${query({ ps_args: ps.join(" ") || null })}`, "list its processes"),
});

export const DIFF = one({
  operands: "CONTAINER",
  about: "List the files that a container has changed",
  takes: { least: 1 },
  names: "container",
  plan: ({ operands: [name = ""] }) => get(`${container(name)}/changes`, "list its changed files"),
});

export const PORT = one({
  operands: "CONTAINER [PORT[/PROTOCOL]]",
  about: "List the published ports of a container: the answer has them in NetworkSettings.Ports",
  takes: { least: 1, most: 2 },
  names: "container",
  plan: ({ operands: [name = ""] }) => get(`${container(name)}/json`, "ask for its ports"),
});

export const EXPORT = one({
  operands: "CONTAINER",
  about: "Read all files of a container as a tar archive",
  takes: { values: ["output,o"], least: 1 },
  names: "container",
  plan: ({ operands: [name = ""] }) => get(`${container(name)}/export`, "read its files as a tar archive"),
});

function seconds(args: { value(name: string): string | null }): string | null {
  return args.value("timeout") ?? args.value("time");
}
