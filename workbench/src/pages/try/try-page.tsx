import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useOperation } from "../../api/operations.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";
import { useMay } from "../../app/session.ts";
import { AskFirstLink } from "../../parts/ask-first-link.tsx";
import { RiskBadge, TroubleBadges } from "../../parts/effect-badge.tsx";
import { FlaskConical } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { RecentTools } from "./called-lately.tsx";
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
