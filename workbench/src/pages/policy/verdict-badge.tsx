import { Badge } from "../../parts/badge.tsx";

const tones = { allow: "good", ask: "accent", queue: "warn", deny: "bad" } as const;

/** A rule that is being written may have any verdict. */
export function VerdictBadge({ verdict }: { verdict: unknown }) {
  const known = Object.entries(tones).find(([name]) => name === verdict);
  return <Badge tone={known?.[1] ?? "neutral"}>{known?.[0] ?? "none"}</Badge>;
}
