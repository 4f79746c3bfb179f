import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { toolPagesQuery } from "../../api/tool-queries.ts";
import { RiskBadge, TroubleBadges } from "../../parts/effect-badge.tsx";
import { Panel } from "../../parts/page.tsx";
import { QueryView } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";

/** The heights of a row and of the whole list, which has its place before it is there. */
const rowPx = 53;
const listPx = 384;

/** What the server offers, each with the way to its page and to a trial. */
export function ServerTools({ server, count }: { server: string; count: number }) {
  const query = useInfiniteQuery(toolPagesQuery({ server, group: "*" }));
  return (
    <Panel
      flush
      title={counted(count, "tool")}
      actions={
        <Link to="/tools" search={{ server }} className="text-sm text-accent hover:underline">
          Search them
        </Link>
      }
    >
      <div style={{ minHeight: Math.min(listPx, count * rowPx) }}>
        <QueryView query={query}>
          {({ pages }) => {
            const tools = pages.flatMap((page) => page.tools);
            return (
              <>
                <ul className="max-h-96 divide-y divide-line overflow-auto text-sm">
                  {tools.map((tool) => (
                    <li key={tool.name} className="flex items-center gap-3 px-4 py-2">
                      <span className="min-w-0 flex-1">
                        <Link
                          to="/tools/$name"
                          params={{ name: tool.name }}
                          className="break-all font-mono text-xs font-medium hover:underline"
                        >
                          {tool.name}
                        </Link>
                        <span className="block truncate text-xs text-muted">
                          {tool.description}
                        </span>
                      </span>
                      <span className="flex gap-1 max-md:hidden">
                        <TroubleBadges tool={tool} />
                        <RiskBadge tool={tool} />
                      </span>
                      <Link
                        to="/try"
                        search={{ tool: tool.name }}
                        className="shrink-0 text-accent hover:underline"
                      >
                        Try
                      </Link>
                    </li>
                  ))}
                </ul>
                {query.hasNextPage && (
                  <button
                    type="button"
                    className="w-full border-t border-line py-2 text-sm text-accent hover:underline"
                    onClick={() => void query.fetchNextPage()}
                  >
                    Show more
                  </button>
                )}
              </>
            );
          }}
        </QueryView>
      </div>
    </Panel>
  );
}
