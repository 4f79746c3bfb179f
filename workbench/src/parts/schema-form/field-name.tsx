import type { RJSFSchema } from "@rjsf/utils";
import { VisibleText } from "../visible-text.tsx";
import { anythingFormat, bytesFormat, fixedFormat } from "./fit-for-forms.ts";
import { cutText } from "./looks.tsx";

type Path = readonly (string | number)[];
type FieldNameProps = { path: Path; title: string; type?: string };

/** Longer ones are no names. */
const maxLength = 200;

/** The argument's name first, because callers use it; then its title. */
export function FieldName({ path, title, type }: FieldNameProps) {
  const name = nameIn(path);
  const last = path.at(-1);
  // The library's own title of an item that has none.
  const isMadeUp = typeof last === "number" && title.endsWith(`-${last + 1}`);
  const isTitled = title !== "" && title !== name && title !== type && !isMadeUp;
  return (
    <>
      <bdi className="break-all font-mono">
        <VisibleText text={cutText(name || title, maxLength)} />
      </bdi>
      {isTitled && name !== "" && (
        <>
          {" "}
          <bdi className="ml-0.5 break-words font-normal text-muted">
            <VisibleText text={cutText(title, maxLength)} />
          </bdi>
        </>
      )}
    </>
  );
}

/** `places 2`: items have the name of their list. */
export function nameIn(path: Path): string {
  const parts = path.filter((part) => part !== "XxxOf");
  const nameIndex = parts.findLastIndex((part) => typeof part === "string");
  return parts
    .slice(Math.max(0, nameIndex))
    .map((part) => (typeof part === "number" ? part + 1 : part))
    .join(" ");
}

/** The whole way to a field: `places 2 › city`. */
export function renderPath(path: Path): string {
  const parts = path.filter((part) => part !== "XxxOf");
  const steps = parts.map((part) => (typeof part === "number" ? ` ${part + 1}` : ` › ${part}`));
  return cutText(steps.join("").replace(/^ › /, "").trim(), maxLength);
}

export function typeIn({ type, format }: RJSFSchema): string {
  if (format === anythingFormat) return "anything";
  if (format === bytesFormat) return "file";
  if (format === fixedFormat) return "fixed";
  return [type ?? []].flat().join(" or ");
}
