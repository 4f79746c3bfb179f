import { ariaDescribedByIds, type RJSFSchema, type WidgetProps } from "@rjsf/utils";
import { useRef } from "react";
import { stringOrEmpty, type UnknownObject } from "../../../../../src/model/json.ts";
import { IconButton } from "../../button.tsx";
import { TextInput } from "../../field.tsx";
import { CalendarClock } from "../../icons.ts";
import { withZone } from "./with-zone.ts";

/** The text is what is sent: the browser's own input has no time zone. It is opened to pick one in the zone of the reader. */
export function DateTimeWidget(props: WidgetProps<UnknownObject, RJSFSchema>) {
  const {
    id,
    name,
    value,
    disabled,
    readonly,
    schema,
    placeholder,
    rawErrors = [],
    onChange,
  } = props;
  const picker = useRef<HTMLInputElement>(null);
  const isOff = disabled || readonly;
  const fallback = typeof schema.default === "string" ? schema.default : "2026-01-31T10:20:00Z";
  return (
    <div className="relative flex min-w-0 items-center gap-1">
      <TextInput
        {...{ id, name: id }}
        placeholder={placeholder || fallback}
        disabled={isOff}
        value={stringOrEmpty(value)}
        aria-invalid={rawErrors.length > 0 || undefined}
        aria-describedby={ariaDescribedByIds(id)}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
      <input
        ref={picker}
        type="datetime-local"
        step="1"
        tabIndex={-1}
        aria-hidden
        className="pointer-events-none absolute right-0 bottom-0 size-8 opacity-0"
        onChange={({ target }) => target.value !== "" && onChange(withZone(target.value))}
      />
      <IconButton
        label={`Pick ${name}`}
        icon={CalendarClock}
        disabled={isOff}
        onClick={() => picker.current?.showPicker()}
      />
    </div>
  );
}
