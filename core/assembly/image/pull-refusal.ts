// What a pull says when the registry or the host does not deliver (surface §2.22, §6.3).

import { Failure, FailureKind } from "../../../build/bindings/types";
import { internal, notFound, Refusal, RefusalKind } from "../refusal";
import { Reference } from "./reference";

const UNKNOWN_MANIFEST = "MANIFEST_UNKNOWN";
const NO_BASIC_CREDENTIALS = "no basic auth credentials";

/** Why a manifest or a list of tags cannot be had. `known`: the client showed credentials. */
export function manifestRefusal(failure: Failure, reference: Reference, known: bool): Refusal {
  switch (failure.kind) {
    case FailureKind.NotFound:
      if (failure.code.length > 0 && failure.code != UNKNOWN_MANIFEST) return denied(failure, reference);
      return notFound(`manifest for ${reference.familiar} not found: ${failure.message}`);
    case FailureKind.Denied:
      return denied(failure, reference);
    case FailureKind.Unauthorized:
      // 401 would make the docker CLI ask for a name and a password in the middle of a script.
      if (failure.message.includes(NO_BASIC_CREDENTIALS)) return internal(failure.message);
      // A registry that hides what is not public answers so for what does not exist, too.
      if (!known) return denied(failure, reference);
      return new Refusal(RefusalKind.Unauthorized, failure.message);
    default:
      return internal(failure.message);
  }
}

/** Why a layer cannot be had: the text of the stream's last line. */
export function layerFailure(failure: Failure): string {
  switch (failure.kind) {
    case FailureKind.Exhausted:
    case FailureKind.Invalid:
    case FailureKind.Unsupported:
      return `failed to register layer: ${failure.message}`;
    default:
      return failure.message;
  }
}

function denied(failure: Failure, reference: Reference): Refusal {
  return notFound(
    `pull access denied for ${reference.familiarName}, repository does not exist or may require 'docker login': ` +
      failure.message,
  );
}
