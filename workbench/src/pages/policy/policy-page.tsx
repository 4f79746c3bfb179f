import { useQuery } from "@tanstack/react-query";
import type { PolicyRule } from "../../../../src/model/access/policy.ts";
import { type PolicyAnswer, policyQuery } from "../../api/setup-queries.ts";
import { useMay } from "../../app/session.ts";
import { GrowingList } from "../../parts/growing-list.tsx";
import { Scale } from "../../parts/icons.ts";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { TestVerdict } from "./test-verdict.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

const profiles = {
  personal:
    "Who types a command or clicks here has agreed to it; MCP clients ask their own user. Only what is marked as needing consent is asked about.",
  guarded: "What needs consent and what may change something is asked about; known reads run.",
  strict: "Everything but reads of trusted servers is asked about.",
} as const;

const modes = {
  build: "Calls run as the rules allow.",
  plan: "What may change something is queued in a plan.",
  review: "Only reads run.",
  debug: "What may change something is asked about.",
} as const;

/** What is asked about and why, and a way to find out without calling. */
export function PolicyPage() {
  const mayManage = useMay("admin");
  return (
    <Page title="Policy" about="The first rule that fits decides; where none does, the mode and the profile do.">
      <div className="grid items-start gap-3 xl:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-3">{mayManage ? <InForce /> : <NotYours />}</div>
        <TestVerdict />
      </div>
    </Page>
  );
}

function NotYours() {
  return (
    <Panel title="Rules">
      <Empty icon={Scale} title="The rules are for admins to see">
        What they say about a call of yours can be tried here.
      </Empty>
    </Panel>
  );
}

function InForce() {
  return (
    <QueryView query={useQuery(policyQuery())}>
      {(policy) => (
        <>
          <Panel title="In force">
            <Facts
              items={[
                [
                  "Profile",
                  <span key="profile">
                    <strong className="font-semibold">{policy.profile}</strong>
                    {policy.isDefault && <span className="text-muted"> (nobody chose one)</span>}
                    <span className="block text-muted">{profiles[policy.profile]}</span>
                  </span>,
                ],
                [
                  "Mode",
                  <span key="mode">
                    <strong className="font-semibold">{policy.mode}</strong>
                    <span className="block text-muted">{modes[policy.mode]}</span>
                  </span>,
                ],
              ]}
            />
          </Panel>
          <Rules policy={policy} />
        </>
      )}
    </QueryView>
  );
}

function Rules({ policy: { rules, effects } }: { policy: PolicyAnswer }) {
  const said = Object.entries(effects);
  return (
    <>
      <Panel flush title={`Rules (${rules.length})`}>
        {rules.length === 0 ? (
          <Empty icon={Scale} title="No rules">
            Write them under <code className="font-mono">policy.rules</code> of the configuration; they apply at once.
          </Empty>
        ) : (
          <GrowingList
            className="divide-y divide-line text-[13px]"
            atOnce={100}
            items={rules.map((rule, index) => ({ rule, index }))}
            keyOf={({ index }) => String(index)}
          >
            {({ rule, index }) => (
              <div className="flex items-start gap-3 px-4 py-2.5">
                <span className="w-6 shrink-0 text-right tabular-nums text-muted">{index}</span>
                <span className="w-12 shrink-0">
                  <VerdictBadge verdict={rule.verdict} />
                </span>
                <div className="min-w-0 flex-1">
                  <p className="break-words font-mono text-xs leading-5">{renderConditions(rule)}</p>
                  {rule.reason !== undefined && <p className="break-words text-muted">{rule.reason}</p>}
                </div>
              </div>
            )}
          </GrowingList>
        )}
      </Panel>
      {said.length > 0 && (
        <Panel title="What tools do, by the operator's word">
          <Facts items={said} />
        </Panel>
      )}
    </>
  );
}

/** When a rule applies, in one line. */
function renderConditions({ verdict: _, reason: _reason, ...conditions }: PolicyRule): string {
  const parts = Object.entries(conditions).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (Array.isArray(value)) return `${name} ${value.join(" | ")}`;
    return typeof value === "object" ? `${name} ${JSON.stringify(value)}` : `${name} ${value}`;
  });
  return parts.join("  and  ") || "every call";
}
