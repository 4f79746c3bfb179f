import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import { objectOrEmpty } from "../../../../src/model/json.ts";
import type { App } from "./app.ts";

/** Pixels. A page that is higher scrolls inside its frame. */
export const maxHeight = 720;
export const minHeight = 48;

/** The names that pages have for our colours. A colour with two values follows the theme by itself. */
const ourColours = {
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

/** What a page learns of its host: its looks, its size, and the tool that the page belongs to. */
export function contextFor({ tool }: App, width: number): McpUiHostContext {
  const style = getComputedStyle(document.documentElement);
  const colours = Object.entries(ourColours).map(([pageName, ourName]) => [
    pageName,
    style.getPropertyValue(ourName).trim(),
  ]);
  const fonts = { "--font-sans": style.fontFamily, "--font-mono": "ui-monospace, monospace" };
  // The type of the SDK wants each of its variables; the specification lets a host leave some out.
  const variables = { ...Object.fromEntries(colours), ...fonts } as never;
  const inputSchema = { ...objectOrEmpty(tool.parameters), type: "object" };
  return {
    theme: currentTheme(),
    styles: { variables },
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
    // The type of the SDK knows fewer forms of schemas than tools have.
    toolInfo: { tool: { name: tool.id.tool, inputSchema } as never },
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
