import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Search, Wrench } from "lucide-react";
import { useEffect, useState } from "react";
import type { ToolFilter } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { TextInput } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { renderCount } from "../../parts/time.tsx";
import { useToolColumns } from "./tool-columns.tsx";
import { ToolFilters } from "./tool-filters.tsx";
import { useFoundTools } from "./use-found-tools.ts";

const route = getRouteApi("/tools");
/** The address follows those who type; it is for whoever comes back. */
const addressMs = 400;

/** Every tool that there is, and the one that is meant. */
export function ToolsPage() {
  const [filter, setFilter] = useFilter();
  const { tools, total, note, listed } = useFoundTools(filter);
  const columns = useToolColumns(filter.server);
  const navigate = useNavigate();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page fill title="Tools" about={note ?? `${renderCount(total)} ${isFiltered ? "match" : "tools"}`}>
      <div className="flex flex-wrap items-center gap-2">
        <div className="relative min-w-56 flex-1">
          <Search aria-hidden className="absolute left-2.5 top-2 size-4 text-muted" />
          <TextInput
            type="search"
            aria-label="Search tools"
            placeholder="What should it do?"
            autoFocus
            className="pl-8"
            value={filter.q ?? ""}
            onChange={({ target: { value } }) => {
              const { q: _, ...rest } = filter;
              setFilter(value === "" ? rest : { ...rest, q: value });
            }}
          />
        </div>
        <ToolFilters filter={filter} onChange={setFilter} />
      </div>
      {listed.error ? (
        <Failed error={listed.error} onRetry={() => void listed.refetch()} />
      ) : listed.isPending ? (
        <Loading what="Looking at the tools" />
      ) : (
        <DataTable
          label="Tools"
          columns={columns}
          rows={tools}
          rowHeight={52}
          keyOf={({ name, persona }) => `${persona ?? ""}/${name}`}
          onOpen={({ name }) => void navigate({ to: "/tools/$name", params: { name } })}
          hasMore={listed.hasNextPage}
          isLoadingMore={listed.isFetchingNextPage}
          onMore={() => !listed.isFetchingNextPage && void listed.fetchNextPage()}
          empty={<NoTools isFiltered={isFiltered} />}
        />
      )}
    </Page>
  );
}

function NoTools({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty icon={Search} title="No tool is like that" />;
  return (
    <Empty icon={Wrench} title="No tools yet">
      Connect a server, or write a tool of your own into a manifest.
    </Empty>
  );
}

function useFilter(): [ToolFilter, (filter: ToolFilter) => void] {
  const search = route.useSearch();
  const navigate = useNavigate();
  const [filter, setFilter] = useState<ToolFilter>(search);
  const { q, server } = filter;
  useEffect(() => {
    const timer = setTimeout(() => {
      const said = { ...(q === undefined ? {} : { q }), ...(server === undefined ? {} : { server }) };
      void navigate({ to: "/tools", search: said, replace: true });
    }, addressMs);
    return () => clearTimeout(timer);
  }, [q, server, navigate]);
  return [filter, setFilter];
}
