// The client of one question. It may leave at any time. A long answer is sent as the client reads, and the question is over
// once it has read it: so a build holds one such answer at a time, though its client reads nothing.

import { Closing } from "../../../../../build/bindings/types";
import { Call, Follower } from "../../../call";
import { openCalls } from "../../../open-calls";
import { endReply, headersOf, openReply, sendChunk, sendWhole } from "../../../reply";

/** So many bytes may have been read without a report (core/wit/engine.wit). */
const UNREPORTED: i32 = 16 * 1024;
/** Bytes of the largest piece, of which one is unsent at a time (core/wit/replies.wit). */
const LARGEST_PIECE: i32 = 512 * 1024;

/** Is told what becomes of an answer. */
export interface AnswerOwner {
  /** All of it has been read, or nearly. */
  answerRead(): void;
  /** The client has left. */
  askerLeft(): void;
}

export class Asker extends Follower {
  private answer: Uint8Array = new Uint8Array(0);
  /** Bytes of each piece but the last, which is hardly smaller: never as few as may be read without a report. */
  private piece: i32 = 0;
  private sent: i32 = 0;
  private unread: i32 = 0;
  private owner: AnswerOwner | null = null;

  constructor(private readonly call: Call) {
    super();
  }

  /** From now on the owner is told. */
  follow(owner: AnswerOwner): void {
    this.owner = owner;
    this.call.follower = this;
    openCalls.add(this.call);
  }

  send(json: Uint8Array): void {
    if (json.length <= UNREPORTED) {
      sendWhole(this.call, 200, headersOf(this.call).json, json);
      return this.owner!.answerRead();
    }
    const pieces = (json.length + LARGEST_PIECE - 1) / LARGEST_PIECE;
    this.answer = json;
    this.piece = (json.length + pieces - 1) / pieces;
    openReply(this.call, 200, headersOf(this.call).json, this);
    this.sendPiece();
  }

  drained(_call: Call, bytes: u32): void {
    this.unread = max(0, this.unread - <i32>bytes);
    if (this.unread > UNREPORTED) return;
    if (this.sent < this.answer.length) return this.sendPiece();
    endReply(this.call);
    this.owner!.answerRead();
  }

  closed(_call: Call, _why: Closing): void {
    this.owner!.askerLeft();
  }

  private sendPiece(): void {
    const piece = this.answer.subarray(this.sent, this.sent + this.piece);
    this.sent += piece.length;
    this.unread += piece.length;
    sendChunk(this.call, piece);
  }
}
