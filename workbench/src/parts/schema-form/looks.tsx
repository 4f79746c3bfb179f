import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import { VisibleText } from "../visible-text.tsx";

/** Clamped; the tool's page shows the whole description. */
export const aboutClass = "line-clamp-6 whitespace-pre-wrap break-words text-xs text-muted";

/** For the fields of a choice, which has the name and the frame already. */
export const bareUiSchema: UiSchema<unknown, RJSFSchema> = { "ui:options": { isBare: true } };

export const isBare = (uiSchema: object | undefined): boolean =>
  ((uiSchema as UiSchema | undefined)?.["ui:options"] as { isBare?: boolean } | undefined)
    ?.isBare === true;

const maxShown = 2_000;

/** A stranger's text: plain, with what is not seen by name, and not endless. */
export function SchemaText({
  text,
  id,
  className,
}: {
  text: string;
  id?: string;
  className: string;
}) {
  return (
    <p id={id} dir="auto" className={className}>
      <VisibleText text={cutText(text, maxShown)} />
    </p>
  );
}

export const cutText = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
