import { Link } from "@tanstack/react-router";

type AskFirstLinkProps = { tool?: string; children: string; className?: string };

/** Opens Policy with a new rule that asks before the tool runs; without a tool, it is typed there. */
export function AskFirstLink({
  tool,
  children,
  className = "text-accent hover:underline",
}: AskFirstLinkProps) {
  const named = tool === undefined ? {} : { tool };
  return (
    <Link
      to="/policy"
      search={{ ...named, rule: JSON.stringify({ ...named, verdict: "ask" }) }}
      className={`text-sm ${className}`}
    >
      {children}
    </Link>
  );
}
