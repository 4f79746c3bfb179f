import { classes } from "./class-names.ts";

type ChoiceChipsProps = {
  label: string;
  options: readonly { value: string; text: string }[];
  /** The chosen values. */
  value: readonly string[];
  onChange: (value: string[]) => void;
};

/** Multiple choice; none chosen means all. */
export function ChoiceChips({ label, options, value, onChange }: ChoiceChipsProps) {
  const toggle = (option: string) => {
    if (!value.includes(option)) return onChange([...value, option]);
    onChange(value.filter((chosen) => chosen !== option));
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-xs font-medium">{label}</legend>
      <div className="flex flex-wrap gap-1.5">
        {options.map(({ value: option, text }) => {
          const isChosen = value.includes(option);
          return (
            <button
              key={option}
              type="button"
              aria-pressed={isChosen}
              onClick={() => toggle(option)}
              className={classes(
                "h-7 rounded-full border px-2.5 text-xs",
                isChosen
                  ? "border-accent bg-accent-soft text-accent"
                  : "border-line hover:bg-sunken",
              )}
            >
              {text}
            </button>
          );
        })}
      </div>
    </fieldset>
  );
}
