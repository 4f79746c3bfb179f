import {
  cloneElement,
  type InputHTMLAttributes,
  isValidElement,
  type ReactElement,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { classes } from "./class-names.ts";

const controlClass =
  "w-full rounded-md border border-line bg-surface px-2.5 text-sm text-ink placeholder:text-muted disabled:opacity-60";

export function TextInput({ className, ...attributes }: InputHTMLAttributes<HTMLInputElement>) {
  return (
    <input
      type="text"
      dir="auto"
      autoComplete="off"
      spellCheck={false}
      {...attributes}
      className={classes(controlClass, "h-8", className)}
    />
  );
}

export function TextArea({
  className,
  ...attributes
}: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <textarea
      dir="auto"
      spellCheck={false}
      {...attributes}
      className={classes(controlClass, "py-2 font-mono text-xs leading-5", className)}
    />
  );
}

type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & {
  options: readonly (string | { value: string; text: string })[];
};

export function Select({ options, className, ...attributes }: SelectProps) {
  const choices = options.map((option) =>
    typeof option === "string" ? { value: option, text: option } : option,
  );
  return (
    <select
      // What is chosen may be longer than the box.
      title={choices.find(({ value }) => value === attributes.value)?.text}
      {...attributes}
      className={classes(controlClass, "h-8 pr-7 text-ellipsis", className)}
    >
      {choices.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

type ControlProps = { id?: string; "aria-describedby"?: string; "aria-invalid"?: boolean };
type FieldProps = {
  label: string;
  hint?: string;
  error?: string | null;
  children: ReactElement<ControlProps>;
};

/** A control with label, hint and error. */
export function Field({ label, hint, error = null, children }: FieldProps) {
  const id = useId();
  const description = error ?? hint;
  const aria: ControlProps = {};
  if (description) aria["aria-describedby"] = `${id}-about`;
  if (error) aria["aria-invalid"] = true;
  const control = isValidElement(children) ? cloneElement(children, { id, ...aria }) : children;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium">
        {label}
      </label>
      {control}
      {description && (
        <p id={`${id}-about`} className={classes("text-xs", error ? "text-bad" : "text-muted")}>
          {description}
        </p>
      )}
    </div>
  );
}
