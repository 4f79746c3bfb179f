import type { RJSFSchema } from "@rjsf/utils";
import { anything } from "./fit-for-forms.ts";

type FieldNameProps = { path: readonly (string | number)[]; title: string; type?: string };

/** The argument's name first, because callers use it; then its title. */
export function FieldName({ path, title, type }: FieldNameProps) {
  const name = path.filter((part) => part !== "XxxOf").at(-1);
  if (typeof name !== "string") return <span className="break-all font-mono">{title}</span>;
  if (name === title || title === type) return <span className="break-all font-mono">{name}</span>;
  return (
    <>
      <span className="break-all font-mono">{name}</span> <span className="ml-0.5 font-normal text-muted">{title}</span>
    </>
  );
}

export function typeIn({ type, format }: RJSFSchema): string {
  if (format === anything) return "anything";
  return [type ?? []]
    .flat()
    .filter((one) => one !== "null")
    .join(" or ");
}
