// Who is told of the steps of a build.

import { LogSource } from "../../../../../build/bindings/types";
import { Container } from "../../../container/container";
import { RoomReader } from "../../../image/progress-stream";
import { StepLogs } from "../history/step-logs";
import { ListedNews } from "./news";

/** Who is told of the steps of a build by BuildKit: those who watch it, or the client of `POST /build`. */
export abstract class Audience {
  /** Keeps what commands write; null if nobody asks for it later. */
  logs: StepLogs | null = null;

  /** It reads too slowly: the next step should wait. */
  abstract get isCrowded(): bool;

  /** Tells the reader once, as soon as it is not crowded any more. */
  abstract whenRoom(reader: RoomReader): void;

  /** Something new, or something that has changed. */
  abstract tell(news: ListedNews): void;

  /** What a command writes from now on: it comes between other news, until `endLog`. */
  abstract insert(source: LogSource): void;

  /** The command in this container has ended: what is told next comes after all that it has written. */
  abstract endLog(container: string): void;

  /** The log of this container waits until the client has read what comes before: the audience removes it then. */
  takesOver(_container: Container): bool {
    return false;
  }
}
