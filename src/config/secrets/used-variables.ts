import type { Path } from "../../model/json.ts";
import type { Environment } from "./expand-environment.ts";
import { mapTexts } from "./map-texts.ts";
import { findReferences } from "./references.ts";

/** What everybody knows anyway, and what would make paths unreadable if it were hidden. */
const ordinary = ["HOME", "USER", "LOGNAME", "PWD", "PATH", "SHELL", "LANG", "TMPDIR", "TEMP", "TMP"];

/** The variables that a configuration refers to, with what they hold. */
export function usedVariables(values: unknown, environment: Environment): Map<string, string> {
  const used = new Map<string, string>();
  mapTexts(values, (text) => {
    for (const { kind, name } of findReferences(text)) {
      const value = kind === "env" && !ordinary.includes(name) ? environment[name] : undefined;
      if (value) used.set(name, value);
    }
    return text;
  });
  return used;
}

/** Writes the references again where their values stand, as `written` has them where it has a text in the same place. */
export function showReferences(values: unknown, used: ReadonlyMap<string, string>, written: unknown): unknown {
  const byLength = [...used].filter(([, value]) => value.length > 3).sort(([, a], [, b]) => b.length - a.length);
  return mapTexts(values, (text, path) => {
    const source = textAt(written, path);
    if (source !== undefined && findReferences(source).length > 0) return source;
    return byLength.reduce((shown, [name, value]) => shown.replaceAll(value, `\${${name}}`), text);
  });
}

function textAt(value: unknown, path: Path): string | undefined {
  const inside = (inner: unknown, part: string | number): unknown =>
    typeof inner === "object" && inner !== null && Object.hasOwn(inner, part)
      ? (inner as Record<string | number, unknown>)[part]
      : undefined;
  const found = path.reduce(inside, value);
  return typeof found === "string" ? found : undefined;
}
