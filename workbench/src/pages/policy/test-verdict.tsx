import { useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useId, useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { AnswerOf, InputOf } from "../../../../src/operations/operations.ts";
import { callOperation } from "../../api/operations.ts";
import { Button } from "../../parts/button.tsx";
import { Field, Select, TextArea, TextInput } from "../../parts/field.tsx";
import { Scale } from "../../parts/icons.ts";
import { Facts, Panel } from "../../parts/page.tsx";
import { Complaint } from "../../parts/states.tsx";
import { ToolNames } from "./tool-names.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

const route = getRouteApi("/policy");

type Face = NonNullable<InputOf<"policy.test">["face"]>;
type Mode = NonNullable<InputOf<"policy.test">["mode"]>;

const faces: Face[] = ["workbench", "mcp", "agent", "cli", "http", "library"];
const modes = [{ value: "", text: "Default" }, "build", "plan", "review", "debug"];
const verdictTexts = {
  allow: "It would run.",
  ask: "It would wait for approval.",
  queue: "It would be queued in a plan.",
  deny: "It would be refused.",
} as const;

/** What the policy would say to a call, without making it. */
export function TestVerdict() {
  const [tool, setTool] = useState(route.useSearch().tool ?? "");
  const [args, setArgs] = useState("{}");
  const [face, setFace] = useState<Face>("mcp");
  const [mode, setMode] = useState<Mode | "">("");
  const names = useId();
  const test = useMutation({
    mutationFn: () =>
      callOperation("policy.test", {
        tool: tool.trim(),
        face,
        arguments: readArguments(args),
        ...withoutUndefined({ mode: mode || undefined }),
      }),
  });
  return (
    <Panel title="Test a verdict">
      <div className="grid gap-x-8 gap-y-4 lg:grid-cols-2">
        <form
          className="flex min-w-0 flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            test.mutate();
          }}
        >
          <Field label="Tool">
            <TextInput
              required
              list={names}
              value={tool}
              onChange={(event) => setTool(event.target.value)}
              placeholder="git.push"
            />
          </Field>
          <ToolNames id={names} typed={tool} />
          <Field label="Arguments" hint="As JSON.">
            <TextArea rows={4} value={args} onChange={(event) => setArgs(event.target.value)} />
          </Field>
          <div className="grid grid-cols-2 gap-3">
            <Field label="Via">
              <Select
                options={faces}
                value={face}
                onChange={(event) => setFace(event.target.value as Face)}
              />
            </Field>
            <Field label="Mode">
              <Select
                options={modes}
                value={mode}
                onChange={(event) => setMode(event.target.value as Mode | "")}
              />
            </Field>
          </div>
          <Complaint error={test.error} />
          <Button
            type="submit"
            variant="primary"
            icon={Scale}
            className="self-start"
            busy={test.isPending}
          >
            Test
          </Button>
        </form>
        {test.data && <Verdict answer={test.data} />}
      </div>
    </Panel>
  );
}

function Verdict({ answer }: { answer: AnswerOf<"policy.test"> }) {
  const { verdict, reason, origin, rule, effect, tool } = answer;
  return (
    <div
      role="status"
      className="flex min-w-0 flex-col gap-3 max-lg:border-t max-lg:border-line max-lg:pt-4"
    >
      <p className="flex items-center gap-2 font-medium">
        <VerdictBadge verdict={verdict} /> {verdictTexts[verdict]}
      </p>
      <Facts
        items={[
          ["Tool", tool],
          ["Because", reason],
          ["Decided by", rule === undefined ? origin : `rule ${rule + 1}`],
          ["Effect", `${effect.effect}: ${effect.because}`],
        ]}
      />
    </div>
  );
}

function readArguments(text: string): JsonObject {
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text) as JsonObject;
  } catch (thrown) {
    throw new Error(`Arguments: invalid JSON: ${(thrown as Error).message}.`);
  }
}
