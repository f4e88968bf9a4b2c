// The verbs about execs.

import { type Heard, type Sent, type Verb, type Visible, ask, named } from "./verb.js";

export const EXEC_VERBS: Readonly<Record<string, Verb>> = {
  exec: { send: exec, isAboutOne: true },
  "exec-start": { send: execStart, goesOn: true },
  "exec-inspect": { send: (_, { execs }) => ask("GET", `/exec/${execs.at(-1) ?? "none"}/json`) },
  "exec-resize": { send: (_, { execs }) => resize(execs.at(-1)) },
};

/**
 * Creates an exec, and starts it after the answer. `manner`: `out`, `in`, `detached` or `unstarted`, and more options:
 * `in,tty,user=daemon`. A command that does not begin with a number is a program's path.
 */
function exec([ref = "", manner = "", ...command]: string[], visible: Visible): Sent {
  const [how = "", ...more] = manner.split(",");
  const user = more.find((one) => one.startsWith("user="))?.slice("user=".length);
  const body = JSON.stringify({
    Cmd: /^-?\d/.test(command[0] ?? "0") ? ["job", ...command] : command,
    ...{ AttachStdout: how !== "detached", AttachStdin: how === "in" },
    ...(more.includes("tty") ? { Tty: true } : {}),
    ...(user === undefined ? {} : { User: user }),
  });
  const next = ({ status, body: told }: Heard): string | null => {
    if (status !== 201) return null;
    visible.execs.push((JSON.parse(told ?? "") as { Id: string }).Id);
    return how === "unstarted" ? null : `exec-start ${visible.execs.at(-1)} ${manner}`;
  };
  return { ...ask("POST", `/containers/${named(ref, visible)}/exec`), body, next };
}

function execStart([id = "", how = ""]: string[], { execs }: Visible): Sent | null {
  const exec = id === "last" ? execs.at(-1) : id;
  if (exec === undefined) return null;
  return { ...ask("POST", `/exec/${exec}/start`), body: JSON.stringify(startOf(how.split(","))) };
}

function resize(exec: string | undefined): Sent | null {
  return exec === undefined ? null : ask("POST", `/exec/${exec}/resize`, "h=24&w=80");
}

function startOf(manners: readonly string[]): object {
  return { Detach: manners.includes("detached"), ...(manners.includes("tty") ? { Tty: true } : {}) };
}
