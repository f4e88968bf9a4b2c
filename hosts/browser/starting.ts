// Inlined in the page's HTML before anything that is fetched. Tells the visitor why the page does not start, even if
// its script never arrived.

const REMEDY = "Reload the page to try again.";

addEventListener("error", failed, true);
addEventListener("unhandledrejection", ({ reason }) => cannotStart(textOf(reason)));

/** Handles errors of files that the page refers to, and of scripts. */
function failed(event: Event): void {
  const { target } = event;
  if (target instanceof HTMLScriptElement) cannotStart("its script could not be fetched");
  else if (target instanceof HTMLLinkElement && target.rel === "stylesheet") tell("before", "Its styles are missing");
  else if (event instanceof ErrorEvent) cannotStart(textOf(event.error ?? event.message));
}

function cannotStart(why: string): void {
  tell("within", `The playground cannot start: ${why}`);
}

/** Shows only the first error, because others follow from it. A page that has started is not replaced. */
function tell(where: "before" | "within", text: string): void {
  if (document.readyState === "loading") {
    return addEventListener("DOMContentLoaded", () => tell(where, text), { once: true });
  }
  const app = document.getElementById("app");
  if (where === "before") app?.before(told(text));
  else if (document.querySelector("#app > .loading:not([role])")) app?.replaceChildren(told(text));
}

function told(text: string): HTMLElement {
  const place = document.createElement("p");
  place.className = "loading";
  place.role = "alert";
  const reload = document.createElement("button");
  reload.textContent = "Reload";
  reload.onclick = () => location.reload();
  place.append(`${text}. ${REMEDY} `, reload);
  return place;
}

function textOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
