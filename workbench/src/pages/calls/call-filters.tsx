import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useState } from "react";
import { serversQuery } from "../../api/queries.ts";
import type { CallSearch } from "../../app/call-search.ts";
import { useMay } from "../../app/session.ts";
import { callStatusText } from "../../parts/badge.tsx";
import { Select, TextInput } from "../../parts/field.tsx";
import { X } from "../../parts/icons.ts";
import { exactTime } from "../../parts/time.tsx";
import { spanTitles } from "./call-times.ts";

const route = getRouteApi("/calls");

const statuses = [
  "succeeded",
  "tool_error",
  "failed",
  "refused",
  "waiting",
  "cancelled",
  "dry_run",
];
const durations = [
  { value: "", text: "Any duration" },
  { value: "100", text: "from 100 ms" },
  { value: "1000", text: "from 1 s" },
  { value: "10000", text: "from 10 s" },
  { value: "60000", text: "from 1 min" },
];

function durationsWith(minMs: string) {
  if (durations.some(({ value }) => value === minMs)) return durations;
  return [...durations, { value: minMs, text: `from ${minMs} ms` }];
}

/** Changes the address; undefined removes. */
export function useCallSearch() {
  const search: CallSearch = route.useSearch();
  const navigate = useNavigate();
  const change = (
    changes: { [Name in keyof CallSearch]?: CallSearch[Name] | undefined },
    replace = true,
  ) => {
    const nextSearch = Object.entries({ ...search, ...changes }).filter(
      ([, value]) => value !== undefined && value !== "",
    );
    void navigate({ to: "/calls", search: Object.fromEntries(nextSearch), replace });
  };
  return { search, change };
}

/** In the address, so that the view can be shared. */
export function CallFilters() {
  const { search, change } = useCallSearch();
  const mayManage = useMay("admin");
  const servers = useQuery(serversQuery());
  const names = new Set(servers.data?.servers.map(({ name }) => name));
  if (search.server !== undefined) names.add(search.server);
  const minMs = search.minMs === undefined ? "" : String(search.minMs);
  return (
    <>
      <Select
        aria-label="Time"
        className="w-32! max-md:w-[calc(50%-4px)]!"
        value={search.range ?? (search.since || search.until ? "chosen" : "")}
        onChange={({ target }) =>
          target.value !== "chosen" &&
          change({ range: target.value, since: undefined, until: undefined })
        }
        options={[
          { value: "", text: "Any time" },
          ...spanTitles,
          ...(search.since || search.until ? [{ value: "chosen", text: "Chosen time" }] : []),
        ]}
      />
      <TextFilter
        label="Part of a tool's name"
        width="w-40!"
        value={search.match ?? ""}
        onChange={(match) => change({ match })}
      />
      <Select
        aria-label="Server"
        className="w-32! max-md:w-[calc(50%-4px)]!"
        value={search.server ?? ""}
        onChange={({ target }) => change({ server: target.value })}
        options={[{ value: "", text: "Any server" }, ...names]}
      />
      <Select
        aria-label="Status"
        className="w-32! max-md:w-[calc(50%-4px)]!"
        value={search.status ?? ""}
        onChange={({ target }) => change({ status: target.value as CallSearch["status"] })}
        options={[
          { value: "", text: "Any status" },
          ...statuses.map((value) => ({ value, text: callStatusText(value) })),
        ]}
      />
      <Select
        aria-label="Duration"
        className="w-32! max-md:w-[calc(50%-4px)]!"
        value={minMs}
        onChange={({ target }) => change({ minMs: target.value })}
        options={durationsWith(minMs)}
      />
      {mayManage && (
        <TextFilter
          label="Caller"
          value={search.user ?? ""}
          onChange={(user) => change({ user })}
        />
      )}
    </>
  );
}

/** What narrows the list and has no field: each can be taken away. */
export function CallChips() {
  const { search, change } = useCallSearch();
  const { tool, run, conversation, since, until } = search;
  const chips: [title: string, without: Parameters<typeof change>[0]][] = [];
  if (tool !== undefined) chips.push([`Tool: ${tool}`, { tool: undefined }]);
  if (run !== undefined) chips.push(["One run", { run: undefined }]);
  if (conversation !== undefined) chips.push(["One conversation", { conversation: undefined }]);
  if (since !== undefined || until !== undefined)
    chips.push([
      `${since === undefined ? "" : exactTime(since)} – ${until === undefined ? "now" : exactTime(until)}`,
      { since: undefined, until: undefined },
    ]);
  return chips.map(([title, without]) => (
    <button
      key={title}
      type="button"
      onClick={() => change(without)}
      title="Remove this filter"
      className="inline-flex h-7 max-w-full items-center gap-1 rounded-full border border-accent bg-accent-soft px-2.5 text-xs text-accent"
    >
      <span className="truncate">{title}</span>
      <X aria-hidden className="size-3 shrink-0" />
    </button>
  ));
}

type TextFilterProps = {
  label: string;
  width?: string;
  value: string;
  onChange: (value: string) => void;
};

function TextFilter({ label, width = "w-32!", value, onChange }: TextFilterProps) {
  const [text, setText] = useState(value);
  const settledText = useDeferredValue(text);
  useEffect(() => setText(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (settledText !== value && settledText === text) onChange(settledText);
  }, [settledText]);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      className={`${width} max-md:w-[calc(50%-4px)]!`}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
