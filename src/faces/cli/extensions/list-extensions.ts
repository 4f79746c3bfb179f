import { plainText } from "../../../lib/text/plain-text.ts";
import type { ExtensionState } from "../../../model/extensions/extension-schema.ts";
import { colors, renderMoment, renderTable } from "../terminal/output.ts";
import { terminal } from "../terminal/terminal.ts";
import { command } from "../with-plane.ts";

const labelWidth = 10;

export const listExtensions = command(
  (plane) => plane.extensions.list(),
  (all) => {
    const extensions = all.filter(({ builtIn }) => !builtIn);
    const shown =
      extensions.length === 0
        ? [
            "No extensions. Name one in 'extensions' of the configuration; 'toolplane trust' lets those of a project in.",
          ]
        : extensions.map(renderExtension);
    return [...shown, renderBuiltIn(all.filter(({ builtIn }) => builtIn))].join("\n\n");
  },
  (extensions) => ({ extensions }),
);

export const showExtension = command(
  (plane, name: string) => plane.extensions.get(name),
  (extension) => (extension.builtIn ? renderBuiltIn([extension]) : renderExtension(extension)),
  (extension) => ({ extensions: [extension] }),
);

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
  const mark = isFailed ? colors.red("✖") : error === null ? colors.green("✔") : colors.yellow("!");
  const [commands, others] = [[] as string[], [] as string[]];
  for (const one of adds) {
    if (one.startsWith("operation "))
      commands.push(one.slice("operation ".length).replace(".", " "));
    else others.push(one);
  }
  const lines = [
    ...(error === null ? [] : wrap(isFailed ? "reason" : "problem", error)),
    ...(about === null ? [] : wrap("about", about)),
    ...(isFailed ? [] : [...list("commands", commands), ...list("adds", others)]),
    ...wrap("from", use),
    ...(since === null ? [] : wrap(isFailed ? "tried" : "since", `${renderMoment(since)} UTC`)),
    ...(isFailed
      ? []
      : wrap("cost", `${importMs} ms to load its code, ${setupMs} ms to set it up`)),
  ];
  return [
    `${mark} ${colors.bold(plainText(name))}${version === null ? "" : ` ${plainText(version)}`}  ${state}`,
    ...lines,
  ].join("\n");
}

const list = (label: string, all: readonly string[]) =>
  all.length === 0 ? [] : wrap(label, all.join(", "));

/** Within the terminal, under the first word of the text. */
function wrap(label: string, text: string): string[] {
  const room = Math.max(20, (terminal.stdout.columns || 100) - labelWidth - 2);
  const rows: string[] = [];
  for (const word of plainText(text).split(/\s+/)) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room)
      rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(word);
  }
  return rows.map((row, at) => `  ${colors.dim((at === 0 ? label : "").padEnd(labelWidth))}${row}`);
}
