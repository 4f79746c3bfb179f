import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { compareText } from "../../../../src/lib/text/wording.ts";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useOperation } from "../../api/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Select, TextInput } from "../../parts/field.tsx";
import { ShieldCheck } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Complaint, Empty, QueryView } from "../../parts/states.tsx";
import { renderCount, Time } from "../../parts/time.tsx";

type Pin = AnswerOf<"pins.list">["pins"][number];
type Row = Pin & { score: number | null; finding: string; isChecked: boolean };

const poorBelow = 80;

const columns: readonly Column<Row>[] = [
  {
    title: "Definition",
    width: "minmax(150px, 2fr)",
    render: ({ name, kind }) =>
      kind === "tool" ? (
        <Link
          to="/tools/$name"
          params={{ name }}
          className="font-mono text-xs font-medium hover:underline"
        >
          {name}
        </Link>
      ) : (
        <span className="font-mono text-xs font-medium">{name}</span>
      ),
  },
  {
    title: "Pin",
    width: "110px",
    render: ({ status, held }) => {
      if (held !== null) return <Badge tone="bad">quarantined</Badge>;
      return <Badge tone={status === "pinned" ? "good" : "warn"}>{status}</Badge>;
    },
  },
  {
    title: "Quality",
    width: "60px",
    align: "right",
    render: ({ score, isChecked }) => (isChecked ? <Score score={score} /> : "…"),
  },
  {
    title: "First finding",
    width: "minmax(150px, 3fr)",
    wide: true,
    render: ({ held: reason, finding }) => (
      <span title={reason ?? finding}>{reason ?? finding}</span>
    ),
  },
  { title: "Pinned", width: "90px", wide: true, render: ({ at }) => at && <Time at={at} /> },
  {
    title: "By",
    width: "90px",
    wide: true,
    render: ({ by }) => by && (by.user ?? by.system ?? by.face),
  },
];

function urgency({ held, status }: Row): number {
  if (held !== null) return 2;
  return status === "pinned" ? 0 : 1;
}

/** What is quarantined, then what has changed, then the poorest for models. */
function worstFirst(a: Row, b: Row): number {
  const poor = ({ score }: Row) => score ?? 101;
  return urgency(b) - urgency(a) || poor(a) - poor(b) || compareText(a.name, b.name);
}

function Score({ score }: { score: number | null }) {
  if (score === null) return null;
  return <span className={score < poorBelow ? "text-warn" : "text-good"}>{score}</span>;
}

const views = {
  all: "All definitions",
  held: "Quarantined",
  changed: "Changed",
  poor: `Below ${poorBelow} of 100`,
} as const;

/** Pinned definitions and their quality: what changed, what is quarantined, what models misread. */
export function QualityPage() {
  const [view, setView] = useState<keyof typeof views>("all");
  const [query, setQuery] = useState("");
  const navigate = useNavigate();
  const pins = useOperation("pins.list", {});
  const qualityQuery = useOperation("tools.quality", {});
  const quality = qualityQuery.data;
  const reportByName = new Map(quality?.tools.map((tool) => [tool.name, tool]));
  const rowOf = (pin: Pin): Row => {
    const {
      score = null,
      findings: [firstFinding] = [],
      checks: [firstCheck] = [],
    } = reportByName.get(pin.name) ?? {};
    return {
      ...pin,
      isChecked: quality !== undefined,
      score,
      finding: firstFinding
        ? `${firstFinding.kind.replaceAll("_", " ")} at ${firstFinding.where}`
        : (firstCheck?.message ?? ""),
    };
  };
  const isListed = ({ name, held, status, score }: Row) =>
    name.toLowerCase().includes(query.trim().toLowerCase()) &&
    (view !== "held" || held !== null) &&
    (view !== "changed" || status !== "pinned") &&
    (view !== "poor" || (score !== null && score < poorBelow));
  return (
    <Page
      fill
      title="Definitions"
      about={
        quality &&
        `${renderCount(quality.passed)} of ${renderCount(quality.total)} tools pass the quality check.`
      }
      actions={
        <Select
          aria-label="Which"
          className="w-44!"
          value={view}
          onChange={({ target }) => setView(target.value as keyof typeof views)}
          options={Object.entries(views).map(([value, text]) => ({ value, text }))}
        />
      }
    >
      <TextInput
        aria-label="Find a definition"
        placeholder="Find by name"
        className="max-w-md shrink-0"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <Complaint error={quality === undefined ? qualityQuery.error : null} />
      <QueryView
        query={
          view === "poor" && quality === undefined ? { ...qualityQuery, data: undefined } : pins
        }
      >
        {({ pins: allPins }) => (
          <DataTable
            label="Definitions"
            columns={columns}
            rows={allPins.map(rowOf).filter(isListed).toSorted(worstFirst)}
            keyOf={({ kind, server, tool }) => `${kind} ${server} ${tool}`}
            onOpen={({ name, kind }) =>
              kind === "tool" && void navigate({ to: "/tools/$name", params: { name } })
            }
            empty={
              <Empty
                icon={ShieldCheck}
                title={allPins.length === 0 ? "Nothing is pinned yet" : "No definitions match"}
              >
                A definition is pinned when it is first seen; what changes later is shown here.
              </Empty>
            }
          />
        )}
      </QueryView>
    </Page>
  );
}
