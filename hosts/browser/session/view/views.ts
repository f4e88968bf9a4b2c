// Interprets an answer's body by its type.

import { FRAME_HEADER, readFrameHeader } from "../../../streams/index.js";
import type { AnswerHead, Piece } from "../exchange.js";
import { pathOf } from "../request.js";
import type { WrittenRequest } from "../request.js";
import type { Bar, Frame, View } from "./view.js";
import { parsedOrNull, valuesOf } from "../../../timeline/index.js";

const STREAMS = ["stdin", "stdout", "stderr"] as const;

/** The view of a body, or of the part that has arrived. */
export function viewOf(request: WrittenRequest, head: AnswerHead | null, pieces: readonly Piece[]): View {
  if (head === null || pieces.length === 0) return { kind: "empty" };
  const type = typeOf(head);
  const path = pathOf(request);
  if (type === "application/vnd.docker.multiplexed-stream") return framesOf(pieces);
  const refused = head.status >= 300;
  if (type === "application/vnd.docker.raw-stream" && !refused)
    return looksFramed(pieces) ? framesOf(pieces) : terminalOf(pieces);
  if (/^\/containers\/.+\/(logs|attach)$/.test(path) && !refused) {
    return looksFramed(pieces) ? framesOf(pieces) : terminalOf(pieces);
  }
  const bytes = joined(pieces);
  if (type.startsWith("application/x-tar") || type === "application/octet-stream") return { kind: "binary", bytes };
  const text = new TextDecoder().decode(bytes);
  if (refused) return jsonOrText(text);
  if (path === "/events") return linesOf(text);
  if (/^\/(images\/(create|load|.+\/push)|build)$/.test(path)) return progressOf(text);
  return jsonOrText(text);
}

/** Frames in the order they arrived. Bytes that are not frames are treated as a terminal's. */
export function framesOf(pieces: readonly Piece[]): View {
  const bytes = joined(pieces);
  const frames: Frame[] = [];
  let at = 0;
  try {
    for (let header = readFrameHeader(bytes, at); header !== null; header = readFrameHeader(bytes, at)) {
      const end = at + FRAME_HEADER + header.length;
      if (end > bytes.length) break;
      frames.push({
        stream: STREAMS[header.stream] ?? "stdout",
        header: bytes.subarray(at, at + FRAME_HEADER),
        bytes: bytes.subarray(at + FRAME_HEADER, end),
        at: momentOf(pieces, end),
      });
      at = end;
    }
  } catch {
    return { kind: "terminal", bytes };
  }
  return { kind: "frames", frames, rest: bytes.subarray(at) };
}

/** Progress lines, one JSON object each (Docker Engine API, image create); the last line may be incomplete. */
export function progressOf(text: string): View {
  const bars = new Map<string, Bar>();
  const lines: string[] = [];
  let error: string | null = null;
  for (const value of valuesOf(text)) {
    const line = value as ProgressLine;
    if (typeof line.error === "string") error = line.error;
    else if (typeof line.stream === "string") lines.push(line.stream.replace(/\n$/, ""));
    else if (line.id && !line.status?.startsWith("Pulling from")) bars.set(line.id, barOf(line, bars.get(line.id)));
    else if (line.status) lines.push(line.status);
  }
  return { kind: "progress", bars: [...bars.values()], lines, error };
}

export function joined(pieces: readonly Piece[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.bytes.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece.bytes, at);
    at += piece.bytes.length;
  }
  return all;
}

interface ProgressLine {
  status?: string;
  id?: string;
  stream?: string;
  error?: string;
  progressDetail?: { current?: number; total?: number };
}

/** A line without amounts keeps the previous ones, so that a full bar stays full. */
function barOf(line: ProgressLine, before: Bar | undefined): Bar {
  const total = line.progressDetail?.total ?? before?.total ?? 0;
  const current = line.progressDetail?.current ?? before?.current ?? 0;
  const whole = /^(Download complete|Pull complete|Already exists)$/.test(line.status ?? "");
  return { id: line.id!, status: line.status ?? "", current: whole ? total : current, total };
}

function linesOf(text: string): View {
  return { kind: "lines", values: valuesOf(text) };
}

function jsonOrText(text: string): View {
  const value = parsedOrNull(text);
  if (value === null && text.trim() !== "null") return { kind: "text", text };
  return { kind: "json", value, text };
}

function terminalOf(pieces: readonly Piece[]): View {
  return { kind: "terminal", bytes: joined(pieces) };
}

/**
 * Below 1.42 frames and terminals have the same Content-Type. Eight bytes that look like a frame header are one,
 * because a terminal sends no zeros.
 */
function looksFramed(pieces: readonly Piece[]): boolean {
  const start = joined(pieces).subarray(0, FRAME_HEADER);
  return start.length >= 4 && start[0]! <= 2 && start[1] === 0 && start[2] === 0 && start[3] === 0;
}

/** When the byte before `end` arrived. */
function momentOf(pieces: readonly Piece[], end: number): bigint {
  let passed = 0;
  for (const piece of pieces) {
    passed += piece.bytes.length;
    if (passed >= end) return piece.at;
  }
  return pieces[pieces.length - 1]!.at;
}

function typeOf(head: AnswerHead): string {
  const value = head.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return value.split(";")[0]!.trim().toLowerCase();
}
