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

const box =
  "w-full rounded-md border border-line bg-surface px-2.5 text-sm text-ink placeholder:text-muted disabled:opacity-60";

export function TextInput({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return (
    <input
      type="text"
      dir="auto"
      autoComplete="off"
      spellCheck={false}
      {...rest}
      className={classes(box, "h-8", className)}
    />
  );
}

export function TextArea({ className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <textarea
      dir="auto"
      spellCheck={false}
      {...rest}
      className={classes(box, "py-2 font-mono text-xs leading-5", className)}
    />
  );
}

type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & {
  options: readonly (string | { value: string; text: string })[];
};

export function Select({ options, className, ...rest }: SelectProps) {
  const chosen = options.find(
    (option) => (typeof option === "string" ? option : option.value) === rest.value,
  );
  return (
    <select
      // What is chosen may be longer than the box.
      title={typeof chosen === "object" ? chosen.text : chosen}
      {...rest}
      className={classes(box, "h-8 pr-7 text-ellipsis", className)}
    >
      {options.map((option) => {
        const { value, text } =
          typeof option === "string" ? { value: option, text: option } : option;
        return (
          <option key={value} value={value}>
            {text}
          </option>
        );
      })}
    </select>
  );
}

type FieldProps = {
  label: string;
  hint?: string;
  error?: string | null;
  children: ReactElement<{ id?: string; "aria-describedby"?: string; "aria-invalid"?: boolean }>;
};

/** A control with label, hint and error. */
export function Field({ label, hint, error = null, children }: FieldProps) {
  const id = useId();
  const about = error ?? hint;
  const control = isValidElement(children)
    ? cloneElement(children, {
        id,
        ...(about ? { "aria-describedby": `${id}-about` } : {}),
        ...(error ? { "aria-invalid": true } : {}),
      })
    : children;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium">
        {label}
      </label>
      {control}
      {about && (
        <p id={`${id}-about`} className={classes("text-xs", error ? "text-bad" : "text-muted")}>
          {about}
        </p>
      )}
    </div>
  );
}
