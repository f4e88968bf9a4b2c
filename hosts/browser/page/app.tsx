// The page: three columns over a timeline, or three tabs on a narrow screen.

import { PlaygroundContext } from "./context.js";
import { Header } from "./header.js";
import { Lessons } from "./lessons/lessons.js";
import { Notebook } from "./notebook/notebook.js";
import { Notice } from "./notice.js";
import { dropped } from "./open-trace.js";
import { Past } from "./past.js";
import type { Playground, Tab } from "./playground.js";
import { Timeline } from "./timeline/timeline.js";
import { World } from "./world/world.js";

const PARTS: readonly { id: Tab; label: string }[] = [
  { id: "lessons", label: "Lessons" },
  { id: "notebook", label: "Requests" },
  { id: "world", label: "World" },
];

export function App({ playground }: { playground: Playground }) {
  const tab = playground.tab.value;
  return (
    <PlaygroundContext.Provider value={playground}>
      <div class="page" data-tab={tab} {...dropped(playground)}>
        <Header />
        <nav class="parts" aria-label="Parts of the page">
          {PARTS.map(({ id, label }) => (
            <button key={id} type="button" aria-current={id === tab} onClick={() => (playground.tab.value = id)}>
              {label}
            </button>
          ))}
        </nav>
        <main class="columns">
          <section class="column lessons" aria-label="Lessons">
            <Lessons />
          </section>
          <section class="column notebook" aria-label="Requests">
            <Notebook />
          </section>
          <section class="column world" aria-label="World" tabIndex={0}>
            <World />
          </section>
        </main>
        <Past />
        <Timeline />
        <Notice />
      </div>
    </PlaygroundContext.Provider>
  );
}
