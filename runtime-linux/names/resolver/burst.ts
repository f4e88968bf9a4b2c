// Queries that wait at a socket while one of its is answered. They are received and answered in two calls for all of
// them together: of a single look-up, the calls and Node's own work for a datagram take most of the time.

import { Datagrams } from "../../kernel/datagrams.js";
import { LONGEST_QUERY } from "./messages.js";

/** How many are received at once. */
const MOST = 32;
/** Answers by UDP are no longer (see `messages.ts`). */
const LONGEST_ANSWER = 1232;
/** How many each socket has in one round of the event loop, so that all get their turn. */
const SHARE = 64;
/** How many queries go by until the next look, if none was waiting at the last: a single client has only one at a time. */
const PAUSE = 3;

/** What a socket does with its queries. */
export interface Answering {
  /** The answer to a query, with another query's id; undefined if it is not known. */
  known(query: Buffer, length: number): Buffer | undefined;
  /** Answers a query in another way. `client`: its `sockaddr`. Both are the callee's. */
  answer(query: Buffer, client: Buffer): void;
}

export class Burst {
  #left = SHARE;
  #pause = 0;

  constructor(
    private readonly fd: number,
    private readonly answering: Answering,
  ) {}

  /** Answers what waits now. */
  answer(): void {
    if (this.#left === 0) return;
    if (this.#pause > 0) return void this.#pause--;
    const [arrived, answers] = (room ??= [new Datagrams(MOST, LONGEST_QUERY), new Datagrams(MOST, LONGEST_ANSWER)]);
    const count = arrived.receive(this.fd, Math.min(MOST, this.#left));
    if (count === 0) {
      this.#pause = PAUSE;
      return;
    }
    if (this.#left === SHARE) setImmediate(() => (this.#left = SHARE));
    this.#left -= count;
    let ready = 0;
    for (let i = 0; i < count; i++) if (this.#answerOne(arrived, i, answers, ready)) ready++;
    answers.send(this.fd, ready);
  }

  /** Whether the answer is ready at this place. */
  #answerOne(arrived: Datagrams, index: number, answers: Datagrams, place: number): boolean {
    const [query, length] = [arrived.bytes[index]!, arrived.lengthOf(index)];
    const [client, clientLength] = [arrived.names[index]!, arrived.nameLengthOf(index)];
    const known = this.answering.known(query, length);
    if (known === undefined) {
      this.answering.answer(Buffer.from(query.subarray(0, length)), Buffer.from(client.subarray(0, clientLength)));
      return false;
    }
    const answer = answers.bytes[place]!;
    answer.set(known);
    answer[0] = query[0]!;
    answer[1] = query[1]!;
    answers.names[place]!.set(client);
    answers.setLengths(place, known.length, clientLength);
    return true;
  }
}

/** Shared by all sockets, since one after the other uses it. */
let room: [arrived: Datagrams, answers: Datagrams] | undefined;
