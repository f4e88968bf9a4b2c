// DNS messages (RFC 1035): what a query asks, and answers to it. A message for a server is passed on as it came.

import {
  decode,
  encode,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  type Answer,
  type OptAnswer,
  type Packet,
} from "dns-packet";

/** Codes of answers (RCODE). */
export const FORMERR = 1;
export const SERVFAIL = 2;
export const NOTIMP = 4;
export const REFUSED = 5;

/** No query is longer, even with padding (RFC 8467): it has to fit into a datagram that is sent in one piece. */
export const LONGEST_QUERY = 1232;

/** A question, and how large its answer may be. */
export interface Query {
  /** The message as it came. */
  bytes: Buffer;
  /** In lower case, without a dot at the end. */
  name: string;
  /** `A`, `AAAA`, `PTR` and so on. */
  type: string;
  /** Limit for an answer by UDP. */
  mostBytes: number;
  packet: Packet;
}

/** A query, the code with which to answer, or undefined if there is nothing to answer. */
export function readQuery(bytes: Buffer): Query | number | undefined {
  if (bytes.length < HEADER || isAnswer(bytes)) return undefined;
  if ((bytes[2]! & OPCODE) !== 0) return NOTIMP;
  const packet = decoded(bytes);
  const [question, ...others] = packet?.questions ?? [];
  if (packet === undefined || question === undefined || others.length > 0 || !isPlain(bytes)) return FORMERR;
  const name = question.name.toLowerCase().replace(/\.$/, "");
  return { bytes, name, type: question.type, mostBytes: sizeOf(packet), packet };
}

/** An answer with records, as many as fit. If some do not, it is marked as truncated, and the client asks by TCP. */
export function answerWith(query: Query, answers: Answer[], most = query.mostBytes): Buffer {
  const whole = encoded(query, answers, 0);
  if (whole.length <= most) return whole;
  const each = (whole.length - encoded(query, [], 0).length) / answers.length;
  const fitting = Math.max(0, Math.floor((most - encoded(query, [], 0).length) / each));
  return encoded(query, answers.slice(0, fitting), TRUNCATED);
}

/** An answer that has only a code. The question of a damaged query is not repeated. */
export function failure(bytes: Buffer, code: number): Buffer {
  const question = code === FORMERR || code === NOTIMP ? Buffer.alloc(0) : questionOf(bytes);
  const answer = Buffer.concat([bytes.subarray(0, HEADER), question]);
  answer[2] = ANSWER | (bytes[2]! & (OPCODE | RECURSION_WANTED));
  answer[3] = RECURSION | code;
  answer.writeUInt16BE(question.length > 0 ? 1 : 0, 4);
  answer.fill(0, 6, HEADER);
  return answer;
}

export function codeOf(answer: Buffer): number {
  return answer[3]! & 0x0f;
}

/** Whether this is the answer to a query: the same id, and the same question. */
export function answers(answer: Buffer, query: Buffer): boolean {
  return answersQuestion(answer, query) && answer.readUInt16BE(0) === query.readUInt16BE(0);
}

/** The same without regard to their ids. */
export function answersQuestion(answer: Buffer, query: Buffer): boolean {
  if (answer.length < HEADER || !isAnswer(answer)) return false;
  if (answer.readUInt16BE(4) === 0) return codeOf(answer) !== 0; // a refusal may leave the question out
  return isSameQuestion(answer, query);
}

/** The message with another id. */
export function withId(bytes: Buffer, id: number): Buffer {
  const copy = Buffer.from(bytes);
  writeId(copy, id);
  return copy;
}

/** Gives a message another id. */
export function writeId(bytes: Buffer, id: number): void {
  bytes[0] = id >> 8;
  bytes[1] = id & 0xff;
}

const HEADER = 12;
const TYPE_AND_CLASS = 4;
const LONGEST_LABEL = 63;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const LOWER_A = 0x61;
const ANSWER = 0x80;
const OPCODE = 0x78;
const RECURSION_WANTED = 0x01;
const RECURSION = 0x80;
const TRUNCATED = 1 << 9;
/** How large an answer by UDP we send or take (DNS flag day 2020). */
const OWN_EXTENSION = {
  type: "OPT",
  name: ".",
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
} satisfies OptAnswer;

function isAnswer(bytes: Buffer): boolean {
  return (bytes[2]! & ANSWER) !== 0;
}

/** Names are the same in upper and lower case, and servers may change it. */
function isSameQuestion(answer: Buffer, query: Buffer): boolean {
  const end = endOfQuestion(query);
  const type = end - TYPE_AND_CLASS;
  for (let at = HEADER; at < type; at++) if (lower(answer[at]) !== lower(query[at])) return false;
  return answer.length >= end && answer.compare(query, type, end, type, end) === 0;
}

/** Lengths of labels are less than any letter. */
function lower(byte = 0): number {
  return byte >= UPPER_A && byte <= UPPER_Z ? byte + (LOWER_A - UPPER_A) : byte;
}

function decoded(bytes: Buffer): Packet | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

function encoded(query: Query, answers: Answer[], flags: number): Buffer {
  const { packet } = query;
  return encode({
    type: "response",
    id: packet.id,
    flags: ((packet.flags ?? 0) & RECURSION_DESIRED) | RECURSION_AVAILABLE | flags,
    questions: packet.questions,
    answers,
    additionals: extensionOf(packet) === undefined ? [] : [OWN_EXTENSION],
  });
}

/** Whether the first question stands whole, its name without pointers (RFC 1035, 4.1.4): no name is before it. */
function isPlain(bytes: Buffer): boolean {
  for (let at = HEADER; at < bytes.length && bytes[at]! <= LONGEST_LABEL; at += bytes[at]! + 1) {
    if (bytes[at] === 0) return at + 1 + TYPE_AND_CLASS <= bytes.length;
  }
  return false;
}

/** The bytes of a query's only question: a name without pointers, a type and a class. */
function questionOf(bytes: Buffer): Buffer {
  return bytes.subarray(HEADER, endOfQuestion(bytes));
}

function endOfQuestion(bytes: Buffer): number {
  let end = HEADER;
  while (bytes[end]! > 0) end += bytes[end]! + 1;
  return end + 1 + TYPE_AND_CLASS;
}

/** Without EDNS (RFC 6891), an answer by UDP has at most 512 bytes. */
function sizeOf(packet: Packet): number {
  return Math.min(Math.max(extensionOf(packet)?.udpPayloadSize ?? 0, 512), OWN_EXTENSION.udpPayloadSize);
}

function extensionOf({ additionals = [] }: Packet): { udpPayloadSize: number } | undefined {
  const found = additionals.find(({ type }) => type === "OPT");
  return found && { udpPayloadSize: (found as OptAnswer).udpPayloadSize };
}
