import { plainText } from "../../../lib/text/plain-text.ts";
import type { ExtensionState } from "../../../model/extensions/extension-schema.ts";
import { extensionOperations } from "../../../operations/declared/extensions.ts";
import { colors, joinLines, renderMoment, renderTable } from "../terminal/output.ts";
import { terminal } from "../terminal/terminal.ts";
import { viewsOf } from "../view.ts";

const labelWidth = 10;

const view = viewsOf(extensionOperations);

export const listExtensions = view("extensions.list", {
  text({ extensions }) {
    const blocks = extensions.filter(({ builtIn }) => !builtIn).map(renderExtension);
    if (blocks.length === 0)
      blocks.push(
        "No extensions. Name one in 'extensions' of the configuration; 'toolplane trust' lets those of a project in.",
      );
    blocks.push(renderBuiltIn(extensions.filter(({ builtIn }) => builtIn)));
    return blocks.join("\n\n");
  },
});

export const showExtension = view("extensions.get", {
  text: (extension) =>
    extension.builtIn ? renderBuiltIn([extension]) : renderExtension(extension),
  json: (extension) => ({ extensions: [extension] }),
});

/** What comes with Toolplane, and what each part of it costs where it is used. */
function renderBuiltIn(packages: readonly ExtensionState[]): string {
  const rows = packages.map(({ name, state, since, importMs }) => [
    name,
    state,
    ...(since === null ? ["", ""] : [`${renderMoment(since)} UTC`, `${importMs} ms`]),
  ]);
  return renderTable(["BUILT IN", "STATE", "SINCE", "TO LOAD"], rows);
}

/** A block each: what one adds is too much for a row. */
function renderExtension(extension: ExtensionState): string {
  const { name, version, use, about, state, error, since, importMs, setupMs, adds } = extension;
  const isFailed = state === "failed";
  const usableMark = error === null ? colors.green("✔") : colors.yellow("!");
  const mark = isFailed ? colors.red("✖") : usableMark;
  const versionText = version === null ? "" : ` ${plainText(version)}`;
  const [commands, additions] = [[] as string[], [] as string[]];
  for (const addition of adds) {
    if (addition.startsWith("operation "))
      commands.push(addition.slice("operation ".length).replace(".", " "));
    else additions.push(addition);
  }
  return joinLines(
    `${mark} ${colors.bold(plainText(name))}${versionText}  ${state}`,
    error !== null && wrap(isFailed ? "reason" : "problem", error),
    about !== null && wrap("about", about),
    !isFailed && commands.length > 0 && wrap("commands", commands.join(", ")),
    !isFailed && additions.length > 0 && wrap("adds", additions.join(", ")),
    wrap("from", use),
    since !== null && wrap(isFailed ? "tried" : "since", `${renderMoment(since)} UTC`),
    !isFailed && wrap("cost", `${importMs} ms to load its code, ${setupMs} ms to set it up`),
  );
}

/** Within the terminal, under the first word of the text. */
function wrap(label: string, text: string): string[] {
  const room = Math.max(20, (terminal.stdout.columns || 100) - labelWidth - 2);
  const rows: string[] = [];
  for (const part of plainText(text).split(/\s+/)) {
    const lastRow = rows.at(-1);
    if (lastRow !== undefined && lastRow.length + 1 + part.length <= room)
      rows[rows.length - 1] = `${lastRow} ${part}`;
    else rows.push(part);
  }
  return rows.map(
    (row, index) => `  ${colors.dim((index === 0 ? label : "").padEnd(labelWidth))}${row}`,
  );
}
