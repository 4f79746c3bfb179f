import type { SideEffects } from "../../../src/model/catalogue/tool.ts";
import type { ToolAnswer, ToolRow } from "../api/tool-queries.ts";
import { Badge, type Tone } from "./badge.tsx";

const effects: Record<SideEffects, string> = {
  none: "reads only",
  compute: "computes",
  read_external_service: "reads a service",
  network: "network",
  write: "writes",
  filesystem: "files",
  database: "database",
  system: "system",
};

export const knownEffects = Object.keys(effects) as SideEffects[];
export const effectText = (effect: SideEffects) => effects[effect];

type Impact = ToolRow["impact"];
const impacts: Record<Impact["impact"], { tone: Tone; text: string }> = {
  reads: { tone: "good", text: "reads" },
  writes: { tone: "warn", text: "writes" },
  destroys: { tone: "bad", text: "destroys" },
  unknown: { tone: "neutral", text: "unknown" },
};

export const knownImpacts = Object.keys(impacts) as Impact["impact"][];

/** What a call may do, and how that is known; a question mark where only the name suggests it. */
export function RiskBadge({
  tool: { impact, side_effects },
}: {
  tool: Pick<ToolRow, "impact" | "side_effects">;
}) {
  const { tone, text } = impacts[impact.impact];
  const isGuess = !impact.known && impact.impact !== "unknown";
  const about = `${impact.because}${impact.known ? "" : "; not declared"}. Side effects: ${side_effects}.`;
  return (
    <Badge tone={tone} title={about[0]?.toUpperCase() + about.slice(1)}>
      {isGuess ? `${text}?` : text}
    </Badge>
  );
}

const hints = {
  readOnlyHint: "read-only (declared)",
  destructiveHint: "destructive (declared)",
  idempotentHint: "idempotent (declared)",
  openWorldHint: "open world (declared)",
} as const;

/** What the risk says already. */
const impactOfHint: Readonly<Record<string, string>> = {
  readOnlyHint: "reads",
  destructiveHint: "destroys",
};

/** The server's annotations, and whether they are trusted. `besideRisk`: without those that the risk says already. */
export function HintBadges({
  tool,
  besideRisk = false,
}: {
  tool: ToolAnswer;
  besideRisk?: boolean;
}) {
  const explanation = tool.settings.trusted
    ? "The server is trusted, so this counts."
    : "The server is not trusted, so this is ignored.";
  const shownHints = Object.entries(hints)
    .filter(([hint]) => tool.annotations[hint] === true)
    .filter(([hint]) => !besideRisk || impactOfHint[hint] !== tool.impact.impact);
  return shownHints.map(([hint, text]) => (
    <Badge key={hint} title={explanation} tone={hint === "destructiveHint" ? "bad" : "neutral"}>
      {text}
    </Badge>
  ));
}

type ToolTrouble = {
  unavailable: string | null;
  stale?: true | undefined;
  /** Lists have the count, pages the findings. */
  review?:
    | {
        held: string | null;
        heldFor: string | null;
        change: string | null;
        findings: number | readonly unknown[];
      }
    | undefined;
};

/** Why a tool cannot be called or needs a review. */
export function TroubleBadges({ tool: { review, unavailable, stale } }: { tool: ToolTrouble }) {
  const findings = review?.findings ?? 0;
  const findingCount = typeof findings === "number" ? findings : findings.length;
  return (
    <>
      {review?.held && (
        <Badge tone="bad" title={review.held}>
          {review.heldFor === "disabled" ? "disabled" : "quarantined"}
        </Badge>
      )}
      {!review?.held && review?.change && (
        <Badge tone="warn" title="Its definition differs from the pinned one.">
          {review.change}
        </Badge>
      )}
      {findingCount > 0 && (
        <Badge tone="bad" title="Its definition may contain instructions to the model.">
          suspicious
        </Badge>
      )}
      {stale && (
        <Badge
          tone="warn"
          title="Its server could not list its tools again. This is the last known definition."
        >
          stale
        </Badge>
      )}
      {unavailable !== null && (
        <Badge tone="warn" title={unavailable}>
          unavailable
        </Badge>
      )}
    </>
  );
}
