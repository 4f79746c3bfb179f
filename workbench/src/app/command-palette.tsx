import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useOperation } from "../api/operations.ts";
import { serversQuery } from "../api/queries.ts";
import { classes } from "../parts/class-names.ts";
import { type IconType, Search, Server, Wrench } from "../parts/icons.ts";
import { places } from "./navigation.ts";
import { useActions } from "./palette-actions.ts";

type Choice = { key: string; label: string; about: string; icon: IconType; go: () => void };

/** Finds pages, servers and tools. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const { choices, isSearching } = useChoices(words);
  const chosen = Math.min(at, choices.length - 1);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const pick = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.go();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((chosen + step + choices.length) % Math.max(1, choices.length));
    else if (event.key === "Enter") pick(choices[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it already
    <dialog
      ref={dialog}
      aria-label="Go to a page, a server or a tool, or do something"
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="mx-auto mt-[12vh] w-[560px] max-w-[calc(100vw-24px)] rounded-xl border border-line bg-surface p-0 text-ink shadow-2xl"
    >
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search aria-hidden className="size-4 text-muted" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="choices"
          aria-activedescendant={choices[chosen] ? `choice-${chosen}` : undefined}
          aria-label="Find"
          placeholder="A page, a server, a tool, or an action"
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
          className="h-11 w-full bg-transparent text-sm outline-none placeholder:text-muted"
        />
      </div>
      <div id="choices" role="listbox" aria-label="Found" className="max-h-[50vh] overflow-auto p-1.5">
        {choices.map(({ key, label, about, icon: Icon }, index) => (
          <button
            type="button"
            key={key}
            id={`choice-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onMouseMove={() => setAt(index)}
            onClick={() => pick(choices[index])}
            className={classes(
              "flex w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-left text-[13px]",
              index === chosen && "bg-accent-soft",
            )}
          >
            <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="shrink-0 font-medium">{label}</span>
            <span className="truncate text-muted">{about}</span>
          </button>
        ))}
        {choices.length === 0 && (
          <p role="status" className="px-2.5 py-4 text-center text-[13px] text-muted">
            {isSearching ? "Searching …" : "No matches."}
          </p>
        )}
      </div>
    </dialog>
  );
}

function useChoices(words: string): { choices: Choice[]; isSearching: boolean } {
  const navigate = useNavigate();
  const asked = words.trim();
  const servers = useQuery(serversQuery()).data?.servers ?? [];
  const search = { q: [asked], limit: 8 };
  const query = useOperation("search", search, { enabled: asked.length > 1, placeholderData: keepPreviousData });
  const found = query.data;
  const fits = (name: string) => name.toLowerCase().includes(asked.toLowerCase());
  const choices = [
    ...useActions()
      .filter(({ label }) => asked !== "" && fits(label))
      .map((action) => ({ ...action, key: `action ${action.label}`, about: "action" })),
    ...places
      .filter(({ label }) => fits(label))
      .map(({ to, label, icon }) => ({ key: to, label, about: "", icon, go: () => void navigate({ to }) })),
    ...servers
      .filter(({ name }) => asked !== "" && fits(name))
      .slice(0, 5)
      .map(({ name, tools }) => ({
        key: `server ${name}`,
        label: name,
        about: `server, ${tools} tools`,
        icon: Server,
        go: () => void navigate({ to: "/servers/$name", params: { name } }),
      })),
    ...(asked.length > 1 ? (found?.tools ?? []) : []).map(({ name, summary }) => ({
      key: `tool ${name}`,
      label: name,
      about: summary,
      icon: Wrench,
      go: () => void navigate({ to: "/tools/$name", params: { name } }),
    })),
  ];
  return { choices, isSearching: query.isFetching };
}
