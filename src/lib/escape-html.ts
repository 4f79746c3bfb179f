import { plainText } from "./plain-text.ts";

const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Foreign text made safe to stand in a page or in a quoted attribute: it can neither end its place nor reorder others. */
export function escapeHtml(text: string): string {
  return plainText(text).replaceAll(/[&<>"']/g, (character) => names[character] ?? "");
}
