/** Has the browser save a text or what it has read. */
export function saveFile(content: string | Blob, name: string, type = "text/plain"): void {
  const link = document.createElement("a");
  const href = URL.createObjectURL(
    typeof content === "string" ? new Blob([content], { type }) : content,
  );
  Object.assign(link, { href, download: name.replaceAll(/[^\w.-]/g, "_") });
  link.click();
  URL.revokeObjectURL(href);
}
