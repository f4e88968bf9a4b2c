// An answer while it arrives: status, headers, body, and explanations.

import type { FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Exchange } from "../../session/exchange.js";
import { openUntil } from "../../session/explain/waiting.js";
import { usePlayground, useSession } from "../context.js";
import { TabList } from "../tab-list.js";
import { duration, statusText } from "../words.js";
import { BodyView } from "./body-view.js";
import { StdinField } from "./stdin-field.js";
import { Waiting } from "./waiting.js";

type About = "happened" | "languages" | "versions";

const ABOUT: readonly { id: About; label: string }[] = [
  { id: "happened", label: "What happened" },
  { id: "languages", label: "As code" },
  { id: "versions", label: "Other versions" },
];

type Panel = FunctionComponent<{ exchange: Exchange }>;

/** Fetched when they are first opened: the first answer does not need them. */
const PANELS: Readonly<Record<About, () => Promise<Panel>>> = {
  happened: async () => (await import("./explain.js")).Explain,
  languages: async () => (await import("./languages.js")).Languages,
  versions: async () => (await import("./version-lens.js")).VersionLens,
};

export function AnswerView({ exchange }: { exchange: Exchange }) {
  const name = `about-${exchange.number}`;
  const playground = usePlayground();
  const session = useSession();
  const looking = session.looking.value;
  const later = looking !== null && exchange.at > (session.steps.value[looking]?.at ?? exchange.at);
  const [about, setAbout] = useState<{ id: About; Panel: Panel } | null>(null);
  const typed = useOnce(exchange.typable.value);
  const section = useBroughtIntoView<HTMLElement>(useArrival(exchange));
  const panel = useBroughtIntoView<HTMLDivElement>(about?.id ?? null);
  const open = async (id: About): Promise<void> => {
    if (id === about?.id) return setAbout(null);
    const Panel = await playground.run(PANELS[id]());
    if (Panel !== undefined) setAbout({ id, Panel });
  };
  return (
    <section ref={section} class="answer" aria-label={`Answer ${exchange.number}`} data-later={later}>
      <Head exchange={exchange} later={later} />
      <BodyView exchange={exchange} />
      {typed && <StdinField exchange={exchange} />}
      <TabList
        label="About this answer"
        name={name}
        tabs={session.recording === null ? ABOUT : ABOUT.filter(({ id }) => id !== "versions")}
        selected={about?.id ?? null}
        select={(id) => void open(id)}
        onePanel
      />
      <div
        ref={panel}
        id={`${name}-panel`}
        role="tabpanel"
        aria-labelledby={`${name}-${about?.id ?? "happened"}`}
        hidden={about === null}
      >
        {about !== null && <about.Panel exchange={exchange} />}
      </div>
    </section>
  );
}

/** Stays true once it was true, so that what is below does not move. */
function useOnce(now: boolean): boolean {
  const once = useRef(false);
  once.current ||= now;
  return once.current;
}

/** `awaited` while an answer is pending, then `begun`; null if the answer was already there when first shown. */
function useArrival(exchange: Exchange): "awaited" | "begun" | null {
  const awaited = useRef(exchange.head.peek() === null);
  if (!awaited.current) return null;
  return exchange.head.value === null ? "awaited" : "begun";
}

/** Scrolls as little as needed when `cause` becomes a string, and each time it changes to another one. */
function useBroughtIntoView<E extends HTMLElement>(cause: string | null) {
  const element = useRef<E>(null);
  useEffect(() => {
    if (cause) requestAnimationFrame(() => element.current?.scrollIntoView({ block: "nearest" }));
  }, [cause]);
  return element;
}

function Head({ exchange, later }: { exchange: Exchange; later: boolean }) {
  const session = useSession();
  const head = exchange.head.value;
  const state = exchange.state.value;
  const live = state === "sending" || state === "streaming";
  return (
    <div class="answer-head">
      <p role="status" class="status-line">
        {head === null ? (
          <span class={state === "broken" ? "refused" : "muted waiting"}>
            {state === "broken" ? "No answer" : <Waiting exchange={exchange} />}
          </span>
        ) : (
          <strong class={head.status >= 400 ? "refused" : "accepted"}>
            {head.status} {statusText(head.status)}
          </strong>
        )}
        {later && <span class="small">not sent yet</span>}
        {!later && head !== null && head.at > exchange.at && (
          <span class="muted small"> after {duration(head.at - exchange.at)}</span>
        )}
        {state === "streaming" && <span class="live small">{`open ${openUntil(exchange.request)}`}</span>}
        {state === "broken" && <span class="refused small"> {exchange.problem.value || "cut off"}</span>}
      </p>
      {live && (
        <button type="button" class="plain small" onClick={() => void session.cancel(exchange.number)}>
          Close connection
        </button>
      )}
      {head !== null && head.headers.length > 0 && (
        <details class="fold headers">
          <summary>Headers</summary>
          <pre>{head.headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>
        </details>
      )}
    </div>
  );
}
