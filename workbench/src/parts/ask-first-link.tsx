import { Link } from "@tanstack/react-router";
import { withoutUndefined } from "../../../src/lib/json/plain-data.ts";

type AskFirstLinkProps = { tool?: string; children: string; className?: string };

/** Opens Policy with a new rule that asks before the tool runs; without a tool, it is typed there. */
export function AskFirstLink({
  tool,
  children,
  className = "text-accent hover:underline",
}: AskFirstLinkProps) {
  const toolSearch = withoutUndefined({ tool });
  return (
    <Link
      to="/policy"
      search={{ ...toolSearch, rule: JSON.stringify({ ...toolSearch, verdict: "ask" }) }}
      className={`text-sm ${className}`}
    >
      {children}
    </Link>
  );
}
