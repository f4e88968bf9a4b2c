// Which commands wait for which. Commands on one subject of one interface are carried out one after the other, in the
// order given; all others side by side. That a mount waits for a join, say, is the core's to arrange.

import type { content, networks, processes, volumes } from "../shared/host.js";
import type { HostEffect } from "../shared/outputs.js";

/**
 * What a command is about; null for one that waits for nothing: those that only ask, and `abandon`, which must overtake
 * what it gives up. A signal waits for the launch before it: until then there is nobody to send it to.
 */
export function subjectOf(effect: HostEffect): string | null {
  const subject = subjectIn(effect);
  return subject === null ? null : `${effect.to} ${subject}`;
}

/** One queue per subject. */
export class SubjectQueues {
  readonly #last = new Map<string, Promise<void>>();

  /** Starts `act` now, or when all before it on the same subject have ended. `act` never rejects. */
  run(subject: string | null, act: () => Promise<void>): Promise<void> {
    if (subject === null) return act();
    const before = this.#last.get(subject);
    const mine = before === undefined ? act() : before.then(act);
    this.#last.set(subject, mine);
    void mine.then(() => {
      if (this.#last.get(subject) === mine) this.#last.delete(subject);
    });
    return mine;
  }
}

function subjectIn(effect: HostEffect): string | null {
  switch (effect.to) {
    case "processes":
      return processSubject(effect.command);
    case "content":
      return contentSubject(effect.command);
    case "networks":
      return networkSubject(effect.command);
    case "volumes":
      return volumeSubject(effect.command);
    case "records":
      return null;
  }
}

function processSubject(command: processes.ProcessCommand): string | null {
  switch (command.tag) {
    // It overtakes a start that hangs.
    case "reap-exec":
    case "identify":
    case "ps":
    case "sample":
    case "count-own":
      return null;
    // An exec need not wait for what its container waits for.
    case "exec":
    case "signal-exec":
    case "resize-exec":
      return `exec ${command.val.exec}`;
    case "launch":
    case "pause":
    case "resume":
    case "reap":
      return command.val.container;
    case "signal":
    case "resize":
    case "limit":
    case "rewrite":
      return command.val.subject.container;
  }
}

function contentSubject(command: content.ContentCommand): string | null {
  switch (command.tag) {
    case "resolve":
    case "tags":
    case "blob":
    case "login":
    case "measure":
    case "measure-tar":
    case "stat":
    case "compare":
    case "read":
    case "abandon":
      return null;
    case "layer":
      return `chain ${command.val.chain}`;
    case "drop-chain":
      return `chain ${command.val}`;
    case "mount":
    case "commit":
      return `container ${command.val.container}`;
    case "make-directory":
      return `container ${command.val.view.container}`;
    case "extract":
      return `container ${command.val.into.view.container}`;
    case "unmount":
    case "drop-container":
      return `container ${command.val}`;
    case "ingest":
      return `archive ${command.val.archive}`;
    case "drop-archive":
      return `archive ${command.val}`;
  }
}

function networkSubject(command: networks.NetworkCommand): string {
  switch (command.tag) {
    case "make":
      return `network ${command.val.network}`;
    case "drop":
      return `network ${command.val}`;
    case "join":
    case "leave":
      return `container ${command.val.container}`;
  }
}

function volumeSubject(command: volumes.VolumeCommand): string | null {
  if (command.tag === "measure" || command.tag === "find") return null;
  return command.tag === "populate" ? command.val.name : command.val;
}
