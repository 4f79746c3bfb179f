import { useSyncExternalStore } from "react";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "toolplane.theme";
const listeners = new Set<() => void>();

function chosenTheme(): Theme {
  const storedTheme = localStorage.getItem(key);
  return storedTheme === "light" || storedTheme === "dark" ? storedTheme : "system";
}

function chooseTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") {
    localStorage.removeItem(key);
    delete root.dataset.theme;
  } else {
    localStorage.setItem(key, theme);
    root.dataset.theme = theme;
  }
  for (const listener of listeners) listener();
}

/** The chosen theme, by default the system's. `public/boot.js` applies it before the first paint. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, chosenTheme);
  return [theme, chooseTheme];
}
