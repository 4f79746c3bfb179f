import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useOperation } from "../api/operations.ts";
import { serversQuery } from "../api/queries.ts";
import { type IconType, Search, Server, Wrench } from "../parts/icons.ts";
import { pageLinks } from "./navigation.ts";
import { useActions } from "./palette-actions.ts";

type Choice = { key: string; label: string; about: string; icon: IconType; go: () => void };

/** Finds pages, servers and tools. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const { choices, isSearching } = useChoices(query);
  const pick = (choice: Choice) => {
    onClose();
    choice.go();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/35" />
        <Dialog.Popup
          aria-label="Go to a page, a server or a tool, or do something"
          className="appear fixed inset-x-3 top-[12vh] z-40 mx-auto max-w-[560px] overflow-hidden rounded-xl bg-raise text-ink shadow-float"
        >
          <Autocomplete.Root
            inline
            open
            mode="none"
            autoHighlight="always"
            items={choices}
            itemToStringValue={({ label }: Choice) => label}
            value={query}
            // A choice is a place to go to, and no word to search for.
            onValueChange={(next, { reason }) => reason === "input-change" && setQuery(next)}
          >
            <div className="flex items-center gap-2 border-b border-line px-4">
              <Search aria-hidden className="size-4 text-muted" />
              <Autocomplete.Input
                aria-label="Find"
                placeholder="A page, a server, a tool, or an action"
                className="h-12 w-full bg-transparent text-base outline-none placeholder:text-muted"
              />
            </div>
            <Autocomplete.List
              aria-label="Found"
              className="max-h-[50vh] scroll-py-1.5 overflow-auto p-1.5 outline-none empty:hidden"
            >
              {(choice: Choice) => (
                <Autocomplete.Item
                  key={choice.key}
                  value={choice}
                  onClick={() => pick(choice)}
                  className="flex cursor-default items-center gap-2.5 rounded-md px-2.5 py-2 text-sm data-highlighted:bg-accent-soft"
                >
                  <choice.icon aria-hidden className="size-4 shrink-0 text-muted" />
                  <span className="shrink-0 font-medium">{choice.label}</span>
                  <span className="truncate text-muted">{choice.about}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
            <Autocomplete.Status className="px-2.5 py-4 text-center text-sm text-muted empty:hidden">
              {choices.length === 0 && (isSearching ? "Searching …" : "No matches.")}
            </Autocomplete.Status>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useChoices(query: string): { choices: Choice[]; isSearching: boolean } {
  const navigate = useNavigate();
  const trimmedQuery = query.trim();
  const servers = useQuery(serversQuery()).data?.servers ?? [];
  const search = { q: [trimmedQuery], limit: 8 };
  const searchQuery = useOperation("search", search, {
    enabled: trimmedQuery.length > 1,
    placeholderData: keepPreviousData,
  });
  const searchAnswer = searchQuery.data;
  const isMatch = (name: string) => name.toLowerCase().includes(trimmedQuery.toLowerCase());
  const choices = [
    ...useActions()
      .filter(({ label }) => trimmedQuery !== "" && isMatch(label))
      .map((action) => ({ ...action, key: `action ${action.label}`, about: "action" })),
    ...pageLinks
      .filter(({ label }) => isMatch(label))
      .map(({ to, label, icon }) => ({
        key: to,
        label,
        about: "",
        icon,
        go: () => void navigate({ to }),
      })),
    ...servers
      .filter(({ name }) => trimmedQuery !== "" && isMatch(name))
      .slice(0, 5)
      .map(({ name, tools }) => ({
        key: `server ${name}`,
        label: name,
        about: `server, ${tools} tools`,
        icon: Server,
        go: () => void navigate({ to: "/servers/$name", params: { name } }),
      })),
    ...(trimmedQuery.length > 1 ? (searchAnswer?.tools ?? []) : []).map(({ name, summary }) => ({
      key: `tool ${name}`,
      label: name,
      about: summary,
      icon: Wrench,
      go: () => void navigate({ to: "/tools/$name", params: { name } }),
    })),
  ];
  return { choices, isSearching: searchQuery.isFetching };
}
