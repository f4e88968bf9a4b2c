// What watchers of a build are told. Each piece is told as it is at that time.

import { LogSource } from "../../../../../build/bindings/types";
import { JsonWriter } from "../../../json/writer";
import { line } from "../../../reply";
import { ProtoWriter } from "./proto-writer";

export abstract class News {
  /** A message `StatusResponse` with this piece alone. */
  abstract line(): Uint8Array;

  /** Something newer of the same follows, so a client that does not read can miss it. */
  get isInterim(): bool {
    return false;
  }
}

/** A piece that is an object in a list of the message. */
export abstract class ListedNews extends News {
  constructor(
    private readonly list: string,
    /** Number of the list. */
    private readonly field: u64,
  ) {
    super();
  }

  /** News with the same key replace one another while a client does not read; empty for those that must all be sent. */
  get key(): string {
    return "";
  }

  abstract write(json: JsonWriter): void;

  /** The same by the numbers of its fields (moby/buildkit, control.proto). */
  abstract encode(proto: ProtoWriter): void;

  /** The message `StatusResponse`. */
  status(): ProtoWriter {
    const piece = new ProtoWriter();
    this.encode(piece);
    const message = new ProtoWriter();
    message.message(this.field, piece);
    return message;
  }

  line(): Uint8Array {
    const json = new JsonWriter().beginObject();
    json.key(this.list).beginArray();
    this.write(json);
    return line(json.endArray().endObject());
  }
}

/** What a command writes, or has written. The host reads it from a container. */
export class LogNews extends News {
  /** The command has ended meanwhile, and its container goes. */
  over: bool = false;

  constructor(readonly source: LogSource) {
    super();
  }

  /** The command still runs. */
  get goesOn(): bool {
    return this.source.follow;
  }

  line(): Uint8Array {
    return new Uint8Array(0);
  }
}
