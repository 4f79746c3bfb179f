import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { type ToolFilter, type ToolRow, toolFilterNames } from "../../api/tool-queries.ts";
import { useAllGroups, useMay } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { TextInput } from "../../parts/field.tsx";
import { Search, Wrench } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { activeRowId } from "../../parts/table-row.tsx";
import { renderCount } from "../../parts/time.tsx";
import { SelectedTools } from "./selected-tools.tsx";
import { toolColumns, withSelection } from "./tool-columns.tsx";
import { ToolFilters } from "./tool-filters.tsx";
import { useActiveRow } from "./use-active-row.ts";
import { useDebounced, useLasting } from "./use-debounced.ts";
import { foundToolsQuery, useFoundTools } from "./use-found-tools.ts";

const route = getRouteApi("/tools");
/** The address is updated behind the typing; it serves "back" and links. */
const addressMs = 400;
/** An answer that takes longer is waited for. */
const slowMs = 150;
/** Rows below the screen load after a pause in typing. */
const debounceMs = 150;

/** All tools, with search and filters. */
export function ToolsPage() {
  const [filter, setFilter] = useFilter();
  const groups = useAllGroups();
  const { tools, total, note, isOld, listed } = useFoundTools({ ...groups, ...filter });
  const client = useQueryClient();
  const navigate = useNavigate();
  const debounced = useDebounced(filter, debounceMs);
  const isFiltered = Object.keys(filter).some((name) => name !== "sort");
  const [chosenNames, setChosenNames] = useState<ReadonlySet<string>>(new Set());
  const mayEdit = useMay("admin");
  const isAllChosen = chosenNames.size > 0 && tools.every(({ name }) => chosenNames.has(name));
  const shownTools = useRef(tools);
  shownTools.current = tools;
  // The same for every letter, or every row would be rendered again.
  const columns = useMemo(
    () =>
      withSelection({
        isAll: isAllChosen,
        isChosen: (name) => chosenNames.has(name),
        onToggle: (name) =>
          setChosenNames(
            (before) =>
              new Set(
                before.has(name)
                  ? [...before].filter((chosenName) => chosenName !== name)
                  : [...before, name],
              ),
          ),
        onAll: () =>
          setChosenNames(
            isAllChosen ? new Set() : new Set(shownTools.current.map(({ name }) => name)),
          ),
      }),
    [chosenNames, isAllChosen],
  );
  const openTool = ({ name }: ToolRow) => void navigate({ to: "/tools/$name", params: { name } });
  const { active, onKeyDown } = useActiveRow(isOld ? noRows : tools, filter, openTool);
  const changeQuery = (q: string) => {
    const { q: _, ...otherFilters } = filter;
    const nextFilter = q === "" ? otherFilters : { ...otherFilters, q };
    // Start the request before the render.
    void client.prefetchInfiniteQuery(foundToolsQuery({ ...groups, ...nextFilter }));
    setFilter(nextFilter);
  };
  return (
    <Page
      fill
      title="Tools"
      about={useLasting(isOld, slowMs) ? "Searching …" : aboutTools(total, isFiltered, note)}
    >
      <div className="flex flex-wrap items-center gap-2">
        <div className="relative min-w-56 flex-1">
          <Search aria-hidden className="absolute left-2.5 top-2 size-4 text-muted" />
          <TextInput
            type="search"
            aria-label="Search tools"
            placeholder="What should it do?"
            // On a phone the keyboard would cover the list.
            autoFocus={matchMedia("(pointer: fine)").matches}
            className="pl-8"
            aria-activedescendant={active === null ? undefined : activeRowId}
            onKeyDown={onKeyDown}
            value={filter.q ?? ""}
            onChange={({ target }) => changeQuery(target.value)}
          />
        </div>
        <ToolFilters filter={filter} onChange={setFilter} />
      </div>
      {chosenNames.size > 0 && (
        <SelectedTools
          tools={tools.filter(({ name }) => chosenNames.has(name))}
          onDone={() => setChosenNames(new Set())}
        />
      )}
      {listed.error && <Failed error={listed.error} onRetry={() => void listed.refetch()} />}
      {!listed.error && listed.isPending && <Loading what="Loading tools" />}
      {!listed.error && !listed.isPending && (
        <DataTable
          label="Tools"
          columns={mayEdit ? columns : toolColumns}
          sort={filter.sort}
          onSort={(sort) => {
            const { sort: _, ...otherFilters } = filter;
            setFilter(
              sort === undefined ? otherFilters : { ...otherFilters, sort: sort as ToolOrder },
            );
          }}
          rows={tools}
          rowHeight={52}
          isOld={isOld}
          question={JSON.stringify(filter)}
          active={active}
          onOpen={openTool}
          hasMore={listed.hasNextPage && !isOld}
          isLoadingMore={listed.isFetchingNextPage}
          // The first page is little more than a screen.
          moreAhead={(listed.data?.pages.length ?? 0) > 1 ? 20 : 8}
          onMore={() => !listed.isFetchingNextPage && debounced(() => void listed.fetchNextPage())}
          empty={<NoTools isFiltered={isFiltered} onReset={() => setFilter({})} />}
        />
      )}
    </Page>
  );
}

/** Always one line, so that the layout does not move. */
function aboutTools(total: number | undefined, isFiltered: boolean, note: string | undefined) {
  if (total === undefined) return "…";
  const count = `${renderCount(total)} ${isFiltered ? "match" : "tools"}`;
  return (
    <span className="block truncate" title={note}>
      {note === undefined ? count : `${count} · ${note}`}
    </span>
  );
}

const noRows: readonly ToolRow[] = [];

function NoTools({ isFiltered, onReset }: { isFiltered: boolean; onReset: () => void }) {
  if (isFiltered)
    return (
      <Empty
        icon={Search}
        title="No tools match"
        action={<Button onClick={onReset}>Show all</Button>}
      >
        Try other words, or remove a filter.
      </Empty>
    );
  return (
    <Empty icon={Wrench} title="No tools yet">
      <Link to="/servers" className="text-accent underline">
        Connect a server
      </Link>
      , or write a tool of your own into a manifest.
    </Empty>
  );
}

type ToolOrder = NonNullable<ToolFilter["sort"]>;

function useFilter(): [ToolFilter, (filter: ToolFilter) => void] {
  const search = route.useSearch();
  const navigate = useNavigate();
  const [filter, setFilter] = useState<ToolFilter>(search);
  const writtenSearch = useRef(search);
  // After "back" or a link, the address wins.
  useEffect(() => {
    if (!isSame(search, writtenSearch.current)) setFilter(search);
    writtenSearch.current = search;
  }, [search]);
  useEffect(() => {
    if (isSame(filter, writtenSearch.current)) return;
    const timer = setTimeout(() => {
      writtenSearch.current = filter;
      void navigate({ to: "/tools", search: filter, replace: true });
    }, addressMs);
    return () => clearTimeout(timer);
  }, [filter, navigate]);
  return [filter, setFilter];
}

const isSame = (a: ToolFilter, b: ToolFilter) =>
  toolFilterNames.every((name) => a[name] === b[name]);
