// Light or dark: the system's setting until the reader chooses, which is kept for the next visit.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

type Theme = "light" | "dark";
const KEY = "coracle-theme";

const query = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(query.matches);
query.addEventListener("change", () => (systemIsDark.value = query.matches));

export function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme);
  useEffect(() => {
    if (theme !== null) document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const dark = theme === null ? systemIsDark.value : theme === "dark";
  const change = (): void => {
    const next = dark ? "light" : "dark";
    localStorage.setItem(KEY, next);
    setTheme(next);
  };
  return (
    <button type="button" class="plain icon" aria-label={dark ? "Light theme" : "Dark theme"} onClick={change}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.6" />
        <path d="M10 3a7 7 0 0 1 0 14Z" fill="currentColor" />
      </svg>
    </button>
  );
}

function chosenTheme(): Theme | null {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : null;
}
