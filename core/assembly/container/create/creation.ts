// Creates what a new container needs before the client gets its answer: volumes, their content, the working directory.

import {
  ContentCommandMakeDirectory,
  ContentCommandMount,
  ContentCommandUnmount,
  Failure,
  FileAt,
  FileStat,
  Mount,
  NewDirectory,
  Outcome,
  OutcomeStat,
  View,
  VolumeCommandMake,
} from "../../../../build/bindings/types";
import { askContent, askVolumes } from "../../ask";
import { Call } from "../../call";
import { emitContainer, volumeEvent } from "../../event/emit";
import { eventRing } from "../../event/ring";
import { failureText } from "../../failure/text";
import { JsonWriter } from "../../json/writer";
import { acting, ENGINE_START } from "../../origin";
import { tellMended } from "../../records/found";
import { internal, Refusal } from "../../refusal";
import { line, sendJson, sendRefusal } from "../../reply";
import { engine } from "../../state";
import { Task } from "../../task";
import { volumeStore } from "../../volume/store";
import { leaveVolumes } from "../../volume/unmounting";
import { beginMaking, endMaking } from "../../volume/untold";
import { Volume } from "../../volume/volume";
import { resumeCalls } from "../../waiting-calls";
import { Container } from "../container";
import { isDirectory } from "../files/file-mode";
import { originOf } from "../last-change";
import { MountPoint } from "../mounts/mount-point";
import { fillVolumes, volumesFilled } from "../mounts/own-volumes";
import { RemovalClient } from "../remove/removal-client";
import { removeLeftOver } from "../remove/left-over";
import { removeNow } from "../remove/remove";
import { documentOf } from "../spec/launch";
import { containerSizes } from "../usage/sizes";

/** Progress of the work in the container's files. */
enum Filling {
  Not,
  Mounted,
  Entered,
  Filled,
  Unmounted,
}

/** Number of the step that makes the working directory. For all other steps only a failure matters. */
const DIRECTORY: i32 = 1;

/** Makes and fills the volumes and makes the working directory before the client gets its answer. */
export class Creation extends Task {
  private open: i32 = 0;
  private failure: string = "";
  private stage: Filling = Filling.Not;

  /** `client`: null if it was connected to an earlier engine. `directory`: the working directory. */
  constructor(
    private readonly container: Container,
    private readonly client: CreationClient | null,
    private readonly directory: string,
  ) {
    super();
  }

  begin(): void {
    this.container.creating = true;
    const volumes = this.container.volumes;
    for (let i = 0; i < volumes.length; i++) {
      // Volumes of other containers exist already.
      if (!volumes[i].shared) this.makeVolume(volumes[i]);
    }
    beginMaking(this.container);
    if (this.open == 0 && !this.fill()) this.finish();
  }

  private makeVolume(mount: MountPoint): void {
    if (mount.name.length == 0) mount.name = engine.ids.next();
    if (volumeStore.find(mount.name) === null) {
      const volume = new Volume(mount.name, engine.now.wall, mount.anonymous);
      volume.label(mount.labels);
      volume.takeOptions(mount.driverOptions);
      volumeStore.add(volume);
      volume.owner = this.container;
      mount.added = true;
    }
    this.open += 1;
    askVolumes(this, 0, new VolumeCommandMake(mount.name));
  }

  ended(step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.failure = failureText(failure);
    else if (step == DIRECTORY) this.entered((<OutcomeStat>outcome).value);
    this.open -= 1;
    if (this.open > 0) return;
    if (this.failure.length == 0 && this.fill()) return;
    // The mount is removed together with the container.
    if (this.failure.length > 0 && this.stage > Filling.Not) this.container.leaveUnclean();
    // Remaining volumes may have been filled in part.
    if (this.failure.length > 0 && this.stage > Filling.Entered) containerSizes.volumesChanged(this.container);
    // The record still says that the creation goes on.
    this.container.touch();
    this.finish();
    // A removal resumes the queue itself when it ends.
    if (this.failure.length == 0) resumeCalls(this.container.queue);
  }

  /** Checks what exists at the working directory's path. */
  private entered(stat: FileStat): void {
    if (!isDirectory(stat.mode)) this.failure = `Cannot mkdir: ${this.directory} is not a directory`;
  }

  /**
   * Makes the working directory first, in the container's own files, even if a volume
   * will be mounted there. Then each volume gets the files at its mount point, so
   * that later users of the volume find them. Returns false when all is done.
   */
  private fill(): bool {
    while (this.open == 0) {
      if (this.stage == Filling.Not && !this.needsFiles) return false;
      if (this.stage == Filling.Unmounted) {
        if (!this.container.hasUnfilledVolumes) return false;
        volumesFilled(this.container);
        containerSizes.volumesChanged(this.container);
        return false;
      }
      this.goOn();
    }
    return true;
  }

  private get needsFiles(): bool {
    return this.hasDirectory || (this.container.chain !== null && this.container.hasUnfilledVolumes);
  }

  private get hasDirectory(): bool {
    return this.directory.length > 0 && this.directory != "/";
  }

  private goOn(): void {
    const container = this.container;
    switch (this.stage) {
      case Filling.Not:
        this.open = 1;
        askContent(this, 0, new ContentCommandMount(new Mount(container.id, container.chain, false)));
        break;
      case Filling.Mounted:
        if (!this.hasDirectory) break;
        this.open = 1;
        askContent(
          this,
          DIRECTORY,
          new ContentCommandMakeDirectory(
            new NewDirectory(new FileAt(ownFiles(container), this.directory, true), null),
          ),
        );
        break;
      case Filling.Entered:
        this.open = fillVolumes(container, this, 0);
        break;
      default:
        this.open = 1;
        askContent(this, 0, new ContentCommandUnmount(container.id));
    }
    this.stage += 1;
  }

  private finish(): void {
    const container = this.container;
    container.creating = false;
    leaveVolumes(container);
    endMaking(container, this.failure.length == 0);
    if (this.failure.length > 0) {
      container.removals.push(new Undone(this.client, this.failure));
      return removeNow(container);
    }
    tellCreation(container);
    const client = this.client;
    if (client !== null) client.created(container);
  }
}

/** Anyone who is told the result of a creation. */
export abstract class CreationClient {
  abstract created(container: Container): void;

  /** Called when everything is undone and the name is free again. */
  abstract notCreated(refusal: Refusal): void;
}

/** A creation that a client asked for directly. */
export class CreationCall extends CreationClient {
  constructor(
    private readonly call: Call,
    private readonly warnings: string[],
  ) {
    super();
  }

  created(container: Container): void {
    const json = new JsonWriter();
    json.beginObject();
    json.stringField("Id", container.id);
    json.stringArrayField("Warnings", this.warnings);
    json.endObject();
    sendJson(this.call, 201, line(json));
  }

  notCreated(refusal: Refusal): void {
    sendRefusal(this.call, refusal);
  }
}

/** Answers the client of a failed creation once everything is undone and the name is free again. */
class Undone extends RemovalClient {
  constructor(
    private readonly client: CreationClient | null,
    private readonly why: string,
  ) {
    super();
  }

  removed(): void {
    const client = this.client;
    if (client !== null) client.notCreated(internal(this.why));
  }

  failed(_why: string): void {
    this.removed();
  }
}

/** The container's own files, without anything mounted over them. */
function ownFiles(container: Container): View {
  return new View(container.id, null, []);
}

/**
 * The engine was killed before it answered: the creation is completed or undone. Any mounts it left are removed first.
 */
export function resumeCreation(container: Container): void {
  tellMended(`container ${container.id}`, "its creation continues, but no client is told");
  acting.origin = originOf(container.lastChange);
  container.touch();
  const client: CreationClient | null = container.forBuild ? new LeftOver() : null;
  new Creation(container, client, documentOf(container.config).stringOf("WorkingDir")).begin();
  acting.alone(ENGINE_START);
}

/** A build's container, whose build ended with the engine. */
class LeftOver extends CreationClient {
  created(container: Container): void {
    removeLeftOver(container);
  }

  notCreated(_refusal: Refusal): void {}
}

function tellCreation(container: Container): void {
  const volumes = container.volumes;
  for (let i = 0; i < volumes.length; i++) {
    // The event is also sent for volumes that existed before.
    if (!volumes[i].shared) eventRing.emit(volumeEvent(volumes[i].name, "create"));
  }
  emitContainer(container, "create");
}
