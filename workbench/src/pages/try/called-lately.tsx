import { Link } from "@tanstack/react-router";
import { useOperation } from "../../api/operations.ts";

const maxCalls = 200;
const maxTools = 8;

/** The tools of the newest calls, to begin with one of them. */
export function RecentTools() {
  const calls = useOperation("calls.list", { limit: maxCalls }).data?.calls ?? [];
  // What a server was asked beside its tools has a slash, and no form.
  const tools = new Set(
    calls.flatMap(({ tool, status }) => (tool.includes("/") || status === "refused" ? [] : [tool])),
  );
  if (tools.size === 0) return null;
  return (
    <nav aria-label="Called lately" className="mt-4 flex flex-col items-center gap-2">
      <p className="text-xs font-medium">Called lately</p>
      <ul className="flex flex-wrap justify-center gap-2">
        {[...tools].slice(0, maxTools).map((tool) => (
          <li key={tool} className="max-w-full">
            <Link
              to="/try"
              search={{ tool }}
              className="block truncate rounded-full border border-line bg-surface px-3 py-1 font-mono text-xs text-ink shadow-raised hover:bg-sunken"
            >
              {tool}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
