import { useQuery } from "@tanstack/react-query";
import type { JsonObject } from "../../../../src/model/json.ts";
import { useOperation } from "../../api/operations.ts";
import { type PolicyAnswer, type RulesAnswer, rulesQuery } from "../../api/queries.ts";
import { useMay, useServerChanges } from "../../app/session.ts";
import { GrowingList } from "../../parts/growing-list.tsx";
import { Scale } from "../../parts/icons.ts";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { renderConditions } from "./rule-draft.ts";
import { RuleEditor } from "./rule-editor.tsx";
import { TestVerdict } from "./test-verdict.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

const profiles = {
  personal:
    "Commands and clicks count as consent; MCP clients ask their own user. Only tools marked as needing consent need approval.",
  guarded: "Tools that need consent or may change something need approval; known reads run.",
  strict: "Everything except reads of trusted servers needs approval.",
} as const;

const modes = {
  build: "Calls run as the rules allow.",
  plan: "Calls that may change something are queued in a plan.",
  review: "Only reads run.",
  debug: "Calls that may change something need approval.",
} as const;

/** The rules in force, and a dry run of a verdict. */
export function PolicyPage() {
  const mayManage = useMay("admin");
  return (
    <Page
      title="Policy"
      about="The first matching rule decides; if none matches, the mode and the profile decide."
    >
      {mayManage ? (
        <InForce />
      ) : (
        <>
          <NotYours />
          <TestVerdict />
        </>
      )}
    </Page>
  );
}

function NotYours() {
  return (
    <Panel title="Rules">
      <Empty icon={Scale} title="Only admins can see the rules">
        You can test the verdict for your own calls here.
      </Empty>
    </Panel>
  );
}

function InForce() {
  return (
    <QueryView query={useOperation("policy.show", {})} lines={12}>
      {(policy) => (
        <>
          <Panel title="In force">
            <div className="grid gap-x-8 gap-y-2 lg:grid-cols-2">
              <Facts
                items={[
                  [
                    "Profile",
                    <span key="profile">
                      <strong className="font-semibold">{policy.profile}</strong>
                      {policy.isDefault && <span className="text-muted"> (default)</span>}
                      <span className="block text-muted">{profiles[policy.profile]}</span>
                    </span>,
                  ],
                ]}
              />
              <Facts
                items={[
                  [
                    "Mode",
                    <span key="mode">
                      <strong className="font-semibold">{policy.mode}</strong>
                      <span className="block text-muted">{modes[policy.mode]}</span>
                    </span>,
                  ],
                ]}
              />
            </div>
          </Panel>
          <Rules policy={policy} />
        </>
      )}
    </QueryView>
  );
}

function Rules({ policy: { rules, effects } }: { policy: PolicyAnswer }) {
  const hasFile = useServerChanges() !== "no_file";
  const written = useQuery({ ...rulesQuery(), enabled: hasFile });
  const effectFacts = Object.entries(effects);
  return (
    <>
      {effectFacts.length > 0 && (
        <Panel title="Effects set by the operator">
          <Facts items={effectFacts} />
        </Panel>
      )}
      {hasFile ? (
        <QueryView query={written} lines={8}>
          {(answer) => (
            <>
              <RuleEditor written={answer} />
              {answer.others.length > 0 && <OtherRules rules={answer.others} />}
              <TestVerdict />
            </>
          )}
        </QueryView>
      ) : (
        <>
          <OtherRules rules={rules.map((rule) => ({ rule, file: "the program" }))} />
          <TestVerdict />
        </>
      )}
    </>
  );
}

/** Rules that cannot be changed here. */
function OtherRules({ rules }: { rules: RulesAnswer["others"] }) {
  return (
    <Panel flush title={`Rules from elsewhere (${rules.length})`}>
      <GrowingList
        className="divide-y divide-line text-sm"
        atOnce={100}
        items={rules.map((rule, index) => ({ ...rule, index }))}
        keyOf={({ index }) => String(index)}
      >
        {({ rule, file }) => (
          <div className="flex items-start gap-3 px-4 py-2.5">
            <span className="w-14 shrink-0">
              <VerdictBadge verdict={rule.verdict} />
            </span>
            <div className="min-w-0 flex-1">
              <p className="break-words font-mono text-xs leading-5">
                {renderConditions(rule as JsonObject)}
              </p>
              <p className="break-words text-muted">
                {[rule.reason, `from ${rule.from ?? file}`].filter(Boolean).join(", ")}
              </p>
            </div>
          </div>
        )}
      </GrowingList>
    </Panel>
  );
}
