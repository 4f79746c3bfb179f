import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import { objectOrEmpty } from "../../../../src/model/json.ts";
import type { App } from "./app.ts";

/** A page of any size has this much of the window; it scrolls in itself. */
export const maxHeight = 720;
export const minHeight = 48;

/** What pages call our colours. Those with two values follow the theme by themselves. */
const variables = {
  "--color-background-primary": "--surface",
  "--color-background-secondary": "--canvas",
  "--color-background-tertiary": "--sunken",
  "--color-background-info": "--accent-soft",
  "--color-background-success": "--good-soft",
  "--color-background-warning": "--warn-soft",
  "--color-background-danger": "--bad-soft",
  "--color-text-primary": "--ink",
  "--color-text-secondary": "--muted",
  "--color-text-tertiary": "--muted",
  "--color-text-info": "--accent",
  "--color-text-success": "--good",
  "--color-text-warning": "--warn",
  "--color-text-danger": "--bad",
  "--color-border-primary": "--line",
  "--color-border-secondary": "--line",
  "--color-ring-primary": "--accent",
} as const;

const darkQuery = matchMedia("(prefers-color-scheme: dark)");

function currentTheme(): "light" | "dark" {
  const { theme } = document.documentElement.dataset;
  if (theme === "light" || theme === "dark") return theme;
  return darkQuery.matches ? "dark" : "light";
}

/** Where the page stands. */
export function contextFor({ tool }: App, width: number): McpUiHostContext {
  const style = getComputedStyle(document.documentElement);
  const appVariables = Object.entries(variables).map(([appName, ourName]) => [
    appName,
    style.getPropertyValue(ourName).trim(),
  ]);
  const schema = objectOrEmpty(tool.parameters);
  const fonts = { "--font-sans": style.fontFamily, "--font-mono": "ui-monospace, monospace" };
  return {
    theme: currentTheme(),
    styles: { variables: { ...Object.fromEntries(appVariables), ...fonts } as never },
    displayMode: "inline",
    availableDisplayModes: ["inline"],
    containerDimensions: { width, maxHeight },
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: "toolplane-workbench",
    platform: "web",
    deviceCapabilities: {
      touch: navigator.maxTouchPoints > 0,
      hover: matchMedia("(hover: hover)").matches,
    },
    toolInfo: { tool: { name: tool.id.tool, inputSchema: { ...schema, type: "object" } } as never },
  };
}

/** Tells when the theme or the width changes, until the returned function is called. */
export function watchContext(frame: HTMLElement, onChange: () => void): () => void {
  const theme = new MutationObserver(onChange);
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  const size = new ResizeObserver(onChange);
  size.observe(frame);
  darkQuery.addEventListener("change", onChange);
  return () => {
    theme.disconnect();
    size.disconnect();
    darkQuery.removeEventListener("change", onChange);
  };
}
