import { Badge } from "../../parts/badge.tsx";

const tones = { allow: "good", ask: "accent", queue: "warn", deny: "bad" } as const;

export function VerdictBadge({ verdict }: { verdict: keyof typeof tones }) {
  return <Badge tone={tones[verdict]}>{verdict}</Badge>;
}
