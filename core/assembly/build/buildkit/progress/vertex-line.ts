// Vertices that are done one after the other: those of one stage, or those that no stage does. What is told of each comes
// before what is told of the next one.

import { LogObjects, LogSource } from "../../../../../build/bindings/types";
import { Container } from "../../../container/container";
import { LayerListener, ProgressStream, RoomReader } from "../../../image/progress-stream";
import { engine } from "../../../state";
import { BuildProgress } from "../../run/build-progress";
import { withoutUsers } from "../../run/web/shown";
import { Audience } from "./audience";
import { Vertex, VertexCount, VertexStatus } from "./vertices";

const EXTRACTING = "Extracting";
const PAUSE = "waiting, because the registry asks for a pause";

export abstract class VertexLine extends BuildProgress implements LayerListener {
  /** What is being done; null between steps. */
  protected current: Vertex | null = null;
  private status: VertexStatus | null = null;
  /** Of the layers of an image that is being pulled, by what is done with them. */
  private readonly layers: Map<string, VertexStatus> = new Map<string, VertexStatus>();
  /** The container whose log is being told; empty for none. */
  private logged: string = "";

  constructor(
    /** For pulls; nobody reads it. */
    progress: ProgressStream,
    protected readonly count: VertexCount,
    protected readonly audience: Audience,
  ) {
    super(progress);
    progress.quiet = true;
    progress.listener = this;
  }

  /** A part of what was begun last that takes time. The one before it is over. */
  moves(what: string): void {
    this.endStatus();
    const status = new VertexStatus(this.current!.digest, what);
    this.status = status;
    this.audience.tell(status);
  }

  transfers(directory: string): void {
    if (this.current !== null) this.moves(`transferring ${directory}:`);
  }

  /** How many bytes of that have been moved. */
  moved(bytes: u64): void {
    this.amount("", "", "", bytes, 0);
  }

  /** A part of what was begun last that is done already. */
  did(what: string): void {
    const status = new VertexStatus(this.current!.digest, what);
    status.completed = engine.now.wall;
    this.audience.tell(status);
  }

  /** What was begun last is over. */
  end(error: string): void {
    this.endStatus();
    const vertex = this.current;
    this.current = null;
    if (vertex === null) return;
    const layers = this.layers.keys();
    for (let i = 0; i < layers.length; i++) this.layerDone(layers[i]);
    this.endLog();
    vertex.end(error);
    this.audience.tell(vertex);
  }

  get isCrowded(): bool {
    return this.audience.isCrowded;
  }

  whenRoom(reader: RoomReader): void {
    this.audience.whenRoom(reader);
  }

  get finished(): bool {
    return false;
  }

  layerMoved(what: string, id: string, current: u64, total: u64): void {
    const vertex = this.current;
    if (vertex === null) return;
    const name = `${what.toLowerCase()} ${id}`;
    if (!this.layers.has(name)) this.layers.set(name, new VertexStatus(vertex.digest, name));
    const status = this.layers.get(name);
    status.current = current;
    status.total = total;
    if (what == EXTRACTING) this.layerCame(`downloading ${id}`);
    if (what == EXTRACTING && current == total) this.layerDone(name);
    else this.audience.tell(status);
  }

  pauses(): void {
    const status = this.status;
    if (this.current !== null && (status === null || status.id != PAUSE)) this.moves(PAUSE);
  }

  amount(_status: string, _id: string, _key: string, current: u64, total: u64): void {
    const status = this.status;
    if (status === null) return;
    status.current = current;
    status.total = total;
    this.audience.tell(status);
  }

  insert(log: LogSource): void {
    const vertex = this.current;
    if (vertex === null) return;
    this.endLog();
    this.logged = log.container;
    log.objects = new LogObjects("", false, false, vertex.digest);
    this.audience.insert(log);
  }

  takesOver(container: Container): bool {
    return this.audience.takesOver(container);
  }

  /** `input`: the vertex that it needs; empty for none. */
  protected start(name: string, input: string): Vertex {
    const vertex = this.count.begin(withoutUsers(name), input.length > 0 ? [input] : []);
    this.current = vertex;
    this.audience.tell(vertex);
    return vertex;
  }

  protected endStatus(): void {
    const status = this.status;
    this.status = null;
    if (status === null) return;
    status.completed = engine.now.wall;
    this.audience.tell(status);
  }

  private endLog(): void {
    const container = this.logged;
    this.logged = "";
    if (container.length > 0) this.audience.endLog(container);
  }

  /** All of it, though not every byte was told. */
  private layerCame(name: string): void {
    if (!this.layers.has(name)) return;
    const status = this.layers.get(name);
    status.current = status.total;
    this.layerDone(name);
  }

  private layerDone(name: string): void {
    if (!this.layers.has(name)) return;
    const status = this.layers.get(name);
    this.layers.delete(name);
    status.completed = engine.now.wall;
    this.audience.tell(status);
  }
}
