// A button with a list of commands in a popover. Escape, a click elsewhere, or a choice closes it.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface MenuProps {
  label: ComponentChildren;
  /** Accessible name of the button, if its label is not enough. */
  name?: string;
  plain?: boolean;
  /** Two columns if there is room. */
  wide?: boolean;
  children: ComponentChildren;
}

export interface MenuItemProps {
  act: () => void;
  disabled?: boolean;
  /** For a switch: whether it is on. */
  pressed?: boolean;
  children: ComponentChildren;
}

const MARGIN = 8;

export function Menu({ label, name, plain = false, wide = false, children }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  // Hidden until it has its items and is in its place.
  useLayoutEffect(() => {
    if (!open) return;
    const frame = requestAnimationFrame(() => {
      if (button.current && popover.current) place(button.current, popover.current);
      popover.current?.removeAttribute("data-placing");
    });
    return () => cancelAnimationFrame(frame);
  }, [open]);
  const toggling = ({ newState }: { newState: string }): void => {
    popover.current?.toggleAttribute("data-placing", newState === "open");
    setOpen(newState === "open");
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={plain ? "plain" : ""}
        aria-label={name}
        aria-expanded={open}
        popovertarget={id}
      >
        {label}
      </button>
      <div ref={popover} id={id} popover="auto" class={wide ? "menu wide" : "menu"} onBeforeToggle={toggling}>
        {open && children}
      </div>
    </>
  );
}

export function MenuItem({ act, disabled = false, pressed, children }: MenuItemProps) {
  const choose = (event: Event): void => {
    (event.currentTarget as HTMLElement).closest<HTMLElement>("[popover]")?.hidePopover();
    act();
  };
  return (
    <button type="button" disabled={disabled} aria-pressed={pressed} onClick={choose}>
      {children}
    </button>
  );
}

/** Below or above the button, inside the window. */
function place(button: HTMLElement, popover: HTMLElement): void {
  const from = button.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  const below = from.bottom + 4;
  const top = below + height + MARGIN <= innerHeight ? below : from.top - height - 4;
  const left = Math.min(from.right - width, innerWidth - width - MARGIN);
  popover.style.top = `${Math.max(MARGIN, top)}px`;
  popover.style.left = `${Math.max(MARGIN, left)}px`;
}
