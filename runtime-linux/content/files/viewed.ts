// Commands that look at single files of a container, or make a directory there: one view for each of them.

import type { content, engine, types } from "../../../hosts/shared/index.js";
import { ownerIn } from "./extract.js";
import { listIn } from "./list-files.js";
import { makeDirectoryIn, statIn } from "./stat.js";
import { openView, type View, type Where } from "./view.js";

export function statOf({ view, path, follow }: types.FileAt, where: Where): engine.FileStat {
  return inView(view, where, (opened) => statIn(opened, path, follow));
}

export function listOf(listing: content.Listing, where: Where): engine.ListedFile[] {
  return inView(listing.at.view, where, (opened) => listIn(opened, listing));
}

export function newDirectory({ at, owner }: content.NewDirectory, where: Where): engine.FileStat {
  return inView(at.view, where, (opened) =>
    makeDirectoryIn(opened, at.path, owner === undefined ? null : ownerIn(opened, owner)),
  );
}

function inView<T>(wanted: types.View, where: Where, act: (view: View) => T): T {
  const view = openView(wanted, where);
  try {
    return act(view);
  } finally {
    view.close();
  }
}
