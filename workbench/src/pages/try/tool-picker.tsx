import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { listTools } from "../../api/tool-queries.ts";
import { classes } from "../../parts/class-names.ts";
import { TextInput } from "../../parts/field.tsx";
import { Search } from "../../parts/icons.ts";
import { messageOf } from "../../parts/states.tsx";

type ToolPickerProps = { value: string; onPick: (name: string) => void };

const offered = 12;

/** Offers tools at a click, and finds one by a few letters. */
export function ToolPicker({ value, onPick }: ToolPickerProps) {
  const list = useId();
  const [text, setText] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const [isOpen, setOpen] = useState(false);
  // Before anything is typed, the name of the chosen tool is no search for others.
  const q = text ?? "";
  const { data, error, isFetching } = useQuery({
    queryKey: ["search", "picker", q],
    queryFn: ({ signal }) => listTools({ q, group: "*", limit: offered }, signal),
    enabled: isOpen,
    placeholderData: (before) => before,
  });
  const close = () => {
    setText(null);
    setOpen(false);
    setAt(0);
  };
  const tools = isOpen ? (data?.tools ?? []) : [];
  const pick = (name: string | undefined) => {
    if (name === undefined) return;
    close();
    onPick(name);
  };
  const onKey = (key: string): boolean => {
    if (key === "ArrowDown") setAt(Math.min(at + 1, tools.length - 1));
    else if (key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (key === "Enter") pick(tools[at]?.name);
    else if (key === "Escape") close();
    else return false;
    return true;
  };
  return (
    <div className="relative max-w-2xl">
      <Search aria-hidden className="absolute left-2.5 top-2 size-4 text-muted" />
      <TextInput
        role="combobox"
        aria-label="Tool"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={tools[at] ? `${list}-${at}` : undefined}
        placeholder="Choose a tool, or type what it should do"
        className="pl-8 font-mono"
        value={text ?? value}
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          setText(event.target.value);
          setOpen(true);
          setAt(0);
        }}
        onClick={() => setOpen(true)}
        onBlur={close}
        onKeyDown={(event) => {
          if (!isOpen && event.key === "ArrowDown") setOpen(true);
          else if (!isOpen || !onKey(event.key)) return;
          event.preventDefault();
        }}
      />
      {isOpen && tools.length === 0 && (
        <p
          role="status"
          className="absolute inset-x-0 top-9 z-20 rounded-lg border border-line bg-surface px-3 py-2 text-[13px] text-muted shadow-xl"
        >
          {isFetching ? "Searching …" : error ? messageOf(error) : "No tools match."}
        </p>
      )}
      <div
        id={list}
        role="listbox"
        aria-label="Tools"
        hidden={tools.length === 0}
        className="absolute inset-x-0 top-9 z-20 max-h-96 overflow-auto rounded-lg border border-line bg-surface py-1 shadow-xl"
      >
        {tools.map(({ name, description }, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input hears the keys
          <div
            key={name}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            // Before the input loses focus and the list closes.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pick(name)}
            className={classes("cursor-pointer px-3 py-1.5", index === at && "bg-accent-soft")}
          >
            <div className="truncate font-mono text-xs">{name}</div>
            <div className="truncate text-xs text-muted">{description}</div>
          </div>
        ))}
      </div>
    </div>
  );
}
