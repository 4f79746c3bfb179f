import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useOperation } from "../../api/operations.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";
import { useMay } from "../../app/session.ts";
import { AskFirstLink } from "../../parts/ask-first-link.tsx";
import { RiskBadge, TroubleBadges } from "../../parts/effect-badge.tsx";
import { FlaskConical } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { ToolPicker } from "./tool-picker.tsx";
import { TryTool } from "./try-tool.tsx";

const route = getRouteApi("/try");

/** Calls a tool from a form. */
export function TryPage() {
  const { tool } = route.useSearch();
  const navigate = useNavigate();
  return (
    <Page title="Try" about="Call a tool the way a model would.">
      <ToolPicker
        value={tool ?? ""}
        onPick={(name) => void navigate({ to: "/try", search: { tool: name } })}
      />
      {tool === undefined ? (
        <Empty icon={FlaskConical} title="Choose a tool">
          Its arguments become a form. Calls take the same path as those of models, approvals
          included.
          <RecentTools />
        </Empty>
      ) : (
        <ChosenTool key={tool} name={tool} />
      )}
    </Page>
  );
}

function ChosenTool({ name }: { name: string }) {
  const query = useOperation("tools.get", { name });
  return (
    <QueryView query={query}>
      {(tool) => (
        <>
          <ToolHead tool={tool} />
          <TryTool tool={tool} />
        </>
      )}
    </QueryView>
  );
}

function ToolHead({ tool }: { tool: ToolAnswer }) {
  const mayManage = useMay("admin");
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-2">
        <Link
          to="/tools/$name"
          params={{ name: tool.name }}
          className="break-all font-mono text-base font-semibold hover:underline"
        >
          {tool.name}
        </Link>
        <RiskBadge tool={tool} />
        <TroubleBadges tool={tool} />
        {mayManage && <AskFirstLink tool={tool.name}>Ask before it runs</AskFirstLink>}
      </div>
      <p className="line-clamp-3 whitespace-pre-wrap break-words text-sm text-muted">
        {tool.description}
      </p>
    </div>
  );
}

const maxCalls = 200;
const maxTools = 8;

/** The tools of the newest calls, to begin with one of them. */
function RecentTools() {
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
