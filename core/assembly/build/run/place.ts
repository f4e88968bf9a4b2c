// File systems that a build needs, but no container: the context, the files of an image to copy from, and the files that a
// copy changes. They have ids like containers, so that the next engine clears away what this one left.

import {
  ContentCommand,
  ContentCommandDropContainer,
  ContentCommandMount,
  ContentCommandUnmount,
  FileAt,
  Mount,
  View,
} from "../../../../build/bindings/types";
import { askContent } from "../../ask";
import { Ignored } from "../../ignored";
import { engine } from "../../state";
import { Task } from "../../task";

export class Place {
  readonly id: string = engine.ids.next();
  /** It is there, or will be before the next command about it. */
  isMade: bool = false;

  /** `chain`: what is there from the beginning; null for nothing. */
  constructor(readonly chain: string | null) {}

  /** Makes it; the task is told. */
  mount(task: Task, step: i32): void {
    this.isMade = true;
    askContent(task, step, new ContentCommandMount(new Mount(this.id, this.chain, true)));
  }

  /** The same by a command that fills it, too. Returns the operation's id. */
  make(task: Task, step: i32, command: ContentCommand): u64 {
    this.isMade = true;
    return askContent(task, step, command);
  }

  /** Drops it with everything in it. Commands about it that are still under way come first. */
  drop(): void {
    if (!this.isMade) return;
    this.isMade = false;
    askContent(new Ignored(), 0, new ContentCommandUnmount(this.id));
    askContent(new Ignored(), 0, new ContentCommandDropContainer(this.id));
  }

  view(): View {
    return new View(this.id, null, []);
  }

  at(path: string): FileAt {
    return new FileAt(this.view(), path, true);
  }
}
