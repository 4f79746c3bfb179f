import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useOperation } from "../../api/operations.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";
import { Badge } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/code-view.tsx";
import { HintBadges } from "../../parts/effect-badge.tsx";
import { Facts, Panel } from "../../parts/page.tsx";
import { renderCount } from "../../parts/time.tsx";
import { HealthLine } from "./health-line.tsx";

/** Facts about a tool besides its definition. */
export function ToolFacts({ tool }: { tool: ToolAnswer }) {
  const { name, id, health, settings } = tool;
  const cost = useOperation("stats", { tool: name, tools: true }, { topic: "tools" }).data
    ?.tools?.[0];
  const badgesOrNull = (names: readonly string[]) =>
    names.length === 0 ? null : <Badges labels={names} />;
  const items: [string, ReactNode][] = [
    ["Health", <HealthLine key="health" health={health} />],
    [
      "Tokens",
      cost && `${renderCount(cost.fullTokens)}, ${renderCount(cost.summaryTokens)} as summary`,
    ],
    [
      "Server",
      id.server && (
        <Link
          to="/servers/$name"
          params={{ name: id.server }}
          className="text-accent hover:underline"
        >
          {id.server}
        </Link>
      ),
    ],
    [
      "For models",
      <span key="model" className="-my-1.5 flex items-center font-mono text-xs break-all">
        {tool.modelName}
        <CopyButton text={tool.modelName} label="Copy the name" />
      </span>,
    ],
    [
      "Source",
      <span key="source" className="break-all">
        {tool.source}
      </span>,
    ],
    [
      "Risk",
      `${tool.impact.impact}: ${tool.impact.because}${tool.impact.known ? "" : " (not declared by a trusted source)"}`,
    ],
    ["Side effects", tool.side_effects],
    ["Version", tool.version],
    ["Safety level", tool.safety_level],
    // What no configuration says has no effect on the policy.
    ["Consent", tool.requires_consent && settings.consent === "explicit" ? "required" : null],
    [
      "Hints",
      <span
        key="hints"
        className="flex flex-wrap gap-1 before:text-muted empty:before:content-['none']"
      >
        <HintBadges tool={tool} />
      </span>,
    ],
    ["Capabilities", badgesOrNull(tool.capabilities)],
    ["Groups", badgesOrNull(settings.groups)],
    ["Timeout", tool.default_timeout === null ? null : `${tool.default_timeout} s`],
    [
      "Variables",
      badgesOrNull(
        Object.entries(tool.credentials).map(
          ([key, { configured }]) => `${key} ${configured ? "is set" : "is missing"}`,
        ),
      ),
    ],
    ["Cost", tool.cost_per_call === null ? null : `${tool.cost_per_call} ${tool.cost_unit ?? ""}`],
    ["Persona", tool.persona],
  ];
  return (
    <Panel
      title="Summary"
      actions={
        <Link to="/calls" search={{ tool: name }} className="text-xs text-accent hover:underline">
          Calls
        </Link>
      }
    >
      <Facts items={items} />
      {tool.unavailable !== null && tool.unavailable !== tool.review?.held && (
        <p className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          {tool.unavailable}
        </p>
      )}
    </Panel>
  );
}

function Badges({ labels }: { labels: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {labels.map((label) => (
        <Badge key={label}>{label}</Badge>
      ))}
    </span>
  );
}
