// Messages for invalid names in tars, archives and layers (surface §2.13, §6.3).

import { FaultyName, NameFault } from "../../../build/bindings/types";
import { quoteText } from "../text/go-quote";
import { FailureKind } from "./failure-kind";

export function faultyNameKind(what: NameFault): FailureKind {
  switch (what) {
    case NameFault.DirectoryThere:
    case NameFault.OtherThere:
      return FailureKind.Exists;
    case NameFault.MovedOut:
      return FailureKind.Busy;
    default:
      return FailureKind.Invalid;
  }
}

export function faultyNameText(failure: FaultyName): string {
  const name = quoteText(failure.name);
  const other = quoteText(failure.other);
  switch (failure.what) {
    case NameFault.Outside:
      return `${name} is outside of ${other}`;
    case NameFault.OwnDirectory:
      return `${name} is the directory that is unpacked to: nothing else replaces it`;
    case NameFault.TooManyLinks:
      return `${name}: too many levels of symbolic links`;
    case NameFault.ThroughOther:
      return `${name}: ${other} is not a directory`;
    case NameFault.DirectoryThere:
      return `cannot overwrite directory ${name} with non-directory ${other}`;
    case NameFault.OtherThere:
      return `cannot overwrite non-directory ${name} with directory ${other}`;
    case NameFault.Whiteout:
      return `invalid whiteout ${name}`;
    case NameFault.MovedOut:
      return `a directory was moved out of ${failure.name} while that was read`;
    default:
      return linkText(failure.what, name, other);
  }
}

function linkText(what: NameFault, name: string, target: string): string {
  switch (what) {
    case NameFault.HardLinkOutside:
      return `invalid hardlink ${name} -> ${target}`;
    case NameFault.SymbolicLinkOutside:
      return `invalid symlink ${name} -> ${target}`;
    case NameFault.HardLinkToDirectory:
      return `hard link ${name} to a directory`;
    case NameFault.HardLinkToNothing:
      return `hard link ${name} to ${target}, which does not exist`;
    default:
      return `hard link to ${target}, which is not a file`;
  }
}
