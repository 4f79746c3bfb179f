import { Badge } from "../../parts/badge.tsx";

const tones = { allow: "good", ask: "accent", queue: "warn", deny: "bad" } as const;

/** A rule that is being written may have any verdict. */
export function VerdictBadge({ verdict }: { verdict: unknown }) {
  const knownVerdict = Object.entries(tones).find(([name]) => name === verdict);
  return <Badge tone={knownVerdict?.[1] ?? "neutral"}>{knownVerdict?.[0] ?? "none"}</Badge>;
}
