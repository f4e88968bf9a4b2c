// Errors of a pull: a reserved name, or a registry or host that fails (surface §2.22, §6.3).

import { Failure } from "../../../../build/bindings/types";
import { answeredCode } from "../../failure/answer";
import { lacksCredentials } from "../../failure/exchange";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";
import { failureText } from "../../failure/text";
import { internal, notFound, Refusal, RefusalKind } from "../../refusal";
import { Reference } from "../reference";

const UNKNOWN_MANIFEST = "MANIFEST_UNKNOWN";
const UNKNOWN_NAME = "NAME_UNKNOWN";
const DENIED = "DENIED";
/** The name that means "no image" in a Dockerfile. */
const NO_IMAGE = "scratch";

/** Null for a name that an image may have. */
export function reservedNameRefusal(reference: Reference): Refusal | null {
  if (reference.familiarName != NO_IMAGE) return null;
  return new Refusal(RefusalKind.Forbidden, "'scratch' is a reserved name");
}

/** Why a manifest or a list of tags is not available. `known`: the client sent credentials. */
export function manifestRefusal(failure: Failure, reference: Reference, known: bool): Refusal {
  const code = answeredCode(failure);
  switch (kindOf(failure)) {
    case FailureKind.NotFound:
      if (code == DENIED) return denied(failure, reference);
      if (code == UNKNOWN_NAME) {
        return notFound(`repository ${reference.familiarName} not found: ${failureText(failure)}`);
      }
      if (code.length > 0 && code != UNKNOWN_MANIFEST) return internal(failureText(failure));
      return notFound(`manifest for ${reference.familiar} not found: ${failureText(failure)}`);
    case FailureKind.Denied:
      return denied(failure, reference);
    case FailureKind.Unauthorized:
      if (code == DENIED) return denied(failure, reference);
      // A 401 would make the docker CLI ask for a login in the middle of a script.
      if (lacksCredentials(failure)) return internal(failureText(failure));
      // A registry that hides private repositories gives this answer also for those that do not exist.
      if (!known) return denied(failure, reference);
      return new Refusal(RefusalKind.Unauthorized, failureText(failure));
    default:
      return internal(failureText(failure));
  }
}

/** Why a layer is not available: the text of the stream's last line. */
export function layerFailure(failure: Failure): string {
  switch (kindOf(failure)) {
    case FailureKind.Exhausted:
    case FailureKind.Invalid:
    case FailureKind.Unsupported:
      return `failed to register layer: ${failureText(failure)}`;
    default:
      return failureText(failure);
  }
}

/** Whether a layer from another registry may do: not if this machine is what failed. */
export function helpsElsewhere(failure: Failure): bool {
  switch (kindOf(failure)) {
    case FailureKind.NotFound:
    case FailureKind.Denied:
    case FailureKind.Unauthorized:
    case FailureKind.Limited:
    case FailureKind.Registry:
    case FailureKind.Unreachable:
    case FailureKind.Corrupt:
      return true;
    default:
      return false;
  }
}

function denied(failure: Failure, reference: Reference): Refusal {
  return notFound(
    `pull access denied for ${reference.familiarName}, repository does not exist or may require 'docker login': ` +
      failureText(failure),
  );
}
