// What a host says when it could not do what it was asked for.

import type { types } from "./host.js";

/** What a host may expect to go wrong, in the words of `core/wit/types.wit`. */
export class HostFailure extends Error {
  /** As the core is told of it. */
  readonly failure: types.Failure;

  /** `more`: what a registry answered, and when to come back. */
  constructor(kind: types.FailureKind, message: string, more: Partial<types.Failure> = {}) {
    super(message);
    this.name = "HostFailure";
    this.failure = { status: 0, code: "", retryAfter: 0, ...more, kind, message };
  }
}

/** The failure that a thrown thing stands for. */
export function failureOf(thrown: unknown): types.Failure {
  if (thrown instanceof HostFailure) return thrown.failure;
  const error = thrown as NodeJS.ErrnoException;
  const kind = KIND_OF_ERRNO[error?.code ?? ""] ?? "internal";
  return { kind, message: error?.message ?? String(thrown), status: 0, code: "", retryAfter: 0 };
}

const KIND_OF_ERRNO: Record<string, types.FailureKind> = {
  ENOENT: "not-found",
  EEXIST: "exists",
  EBUSY: "busy",
  EADDRINUSE: "busy",
  EACCES: "denied",
  EPERM: "denied",
  ENOSPC: "exhausted",
  EDQUOT: "exhausted",
  EMFILE: "exhausted",
  ENFILE: "exhausted",
  ENOMEM: "exhausted",
  EINVAL: "invalid",
  ENOTDIR: "invalid",
  EISDIR: "invalid",
  ECONNREFUSED: "unreachable",
  ECONNRESET: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ENOTFOUND: "unreachable",
  ETIMEDOUT: "unreachable",
};
