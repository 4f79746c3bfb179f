import { Autocomplete } from "@base-ui/react/autocomplete";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { listTools, type ToolRow } from "../../api/tool-queries.ts";
import { Search } from "../../parts/icons.ts";
import { messageOf } from "../../parts/states.tsx";

type ToolPickerProps = { value: string; onPick: (name: string) => void };

const maxOffered = 12;

/** Offers tools at a click, and finds one by a few letters or by what it does. */
export function ToolPicker({ value, onPick }: ToolPickerProps) {
  const [text, setText] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  // Before anything is typed, the name of the chosen tool is no search for others.
  const q = text?.trim() ?? "";
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: ["search", "picker", q],
    queryFn: ({ signal }) =>
      listTools(
        { q, group: "*", limit: maxOffered, ...(q !== "" && { best: maxOffered }) },
        signal,
      ),
    enabled: isOpen,
    placeholderData: (before) => before,
  });
  const tools = data?.tools ?? [];
  const renderStatus = () => {
    if (isFetching) return "Searching …";
    return error ? messageOf(error) : "No tools match.";
  };
  const close = () => {
    setText(null);
    setOpen(false);
  };
  return (
    <Autocomplete.Root
      mode="none"
      autoHighlight="always"
      openOnInputClick
      items={tools}
      itemToStringValue={({ name }: ToolRow) => name}
      open={isOpen}
      onOpenChange={(open) => (open ? setOpen(true) : close())}
      value={text ?? value}
      onValueChange={(next, { reason }) => reason === "input-change" && setText(next)}
    >
      <div className="relative max-w-2xl">
        <Search aria-hidden className="absolute left-2.5 top-2.5 size-4 text-muted" />
        <Autocomplete.Input
          aria-label="Tool"
          spellCheck={false}
          autoFocus={value === ""}
          placeholder="Choose a tool, or type what it should do"
          onFocus={(event) => event.target.select()}
          className="h-9 w-full rounded-md border border-line bg-surface pl-8 pr-2.5 font-mono text-sm placeholder:font-sans placeholder:text-muted"
        />
      </div>
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className="z-30">
          <Autocomplete.Popup className="appear w-(--anchor-width) overflow-hidden rounded-lg bg-raise text-ink shadow-float">
            <Autocomplete.Status className="px-3 py-2 text-sm text-muted empty:hidden">
              {(tools.length === 0 || isPlaceholderData) && renderStatus()}
            </Autocomplete.Status>
            <Autocomplete.List
              aria-label="Tools"
              className="max-h-[min(24rem,var(--available-height))] scroll-py-1 overflow-auto p-1 outline-none empty:hidden"
            >
              {(tool: ToolRow) => (
                <Autocomplete.Item
                  key={tool.name}
                  value={tool}
                  onClick={() => {
                    close();
                    onPick(tool.name);
                  }}
                  className="cursor-default rounded-md px-2.5 py-1.5 data-highlighted:bg-accent-soft"
                >
                  <div className="truncate font-mono text-xs">{tool.name}</div>
                  <div className="truncate text-xs text-muted">{tool.description}</div>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}
