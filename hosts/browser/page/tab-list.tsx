// A tablist as in the ARIA practices: arrow keys move between tabs, Tab leaves the list.

import { useRef } from "preact/hooks";

export interface TabListProps<Id extends string> {
  /** Accessible name of the list. */
  label: string;
  /** Tabs have the ids `NAME-ID`, their panels `NAME-ID-panel`. */
  name: string;
  tabs: readonly { id: Id; label: string }[];
  /** Null if no panel is open. */
  selected: Id | null;
  select: (id: Id) => void;
  /** Whether all panels share one element, `NAME-panel`. */
  onePanel?: boolean;
}

export function TabList<Id extends string>({ label, name, tabs, selected, select, onePanel }: TabListProps<Id>) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === selected);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const place = (next + tabs.length) % tabs.length;
    select(tabs[place]!.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[place]?.focus();
  };
  return (
    <div role="tablist" aria-label={label} ref={list} onKeyDown={move} class="tab-list">
      {tabs.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`${name}-${id}`}
          aria-selected={id === selected}
          aria-controls={onePanel ? `${name}-panel` : `${name}-${id}-panel`}
          tabIndex={id === (selected ?? tabs[0]?.id) ? 0 : -1}
          onClick={() => select(id)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
