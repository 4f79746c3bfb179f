import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button, IconButton } from "../../parts/button.tsx";
import { TextInput } from "../../parts/field.tsx";
import { X } from "../../parts/icons.ts";
import { keepFlag, useFlag } from "../../parts/kept-flags.ts";
import { useCallSearch } from "./call-filters.tsx";

type View = { name: string; search: Record<string, string> };

/** Of this browser. */
const flagName = "call-views";

function readViews(text: string | null): View[] {
  try {
    const storedViews: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(storedViews)) return [];
    return storedViews.filter((view) => typeof view?.name === "string" && view.search);
  } catch {
    return [];
  }
}

/** Filters under a name. */
export function SavedViews() {
  const { search } = useCallSearch();
  const views = readViews(useFlag(flagName));
  const [name, setName] = useState<string | null>(null);
  const keepViews = (next: readonly View[]) => keepFlag(flagName, JSON.stringify(next));
  const isFiltered = Object.keys(search).length > 0;
  const save = () => {
    const trimmedName = name?.trim() ?? "";
    if (trimmedName !== "")
      keepViews([
        ...views.filter((view) => view.name !== trimmedName),
        { name: trimmedName, search: search as unknown as View["search"] },
      ]);
    setName(null);
  };
  return (
    <>
      {views.map((view) => (
        <span key={view.name} className="inline-flex items-center rounded-md border border-line">
          <Link
            to="/calls"
            search={view.search as never}
            className="px-2.5 py-1 text-sm hover:underline"
          >
            {view.name}
          </Link>
          <IconButton
            label={`Forget the view ${view.name}`}
            icon={X}
            className="size-7"
            onClick={() => keepViews(views.filter((savedView) => savedView !== view))}
          />
        </span>
      ))}
      {isFiltered && name === null && (
        <Button variant="quiet" onClick={() => setName("")}>
          Save this view
        </Button>
      )}
      {name !== null && (
        <form
          className="flex gap-1"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <TextInput
            aria-label="Name of the view"
            placeholder="Name"
            autoFocus
            className="w-36!"
            value={name}
            onChange={({ target }) => setName(target.value)}
            onKeyDown={({ key }) => key === "Escape" && setName(null)}
          />
          <Button type="submit">Save</Button>
        </form>
      )}
    </>
  );
}
