import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { indentJson } from "../../../../src/lib/json/render-json.ts";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { readJson } from "../../api/exact-json.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";
import { useMay } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { Field, TextArea } from "../../parts/field.tsx";
import { Ban, ClipboardCopy, Play, ShieldCheck } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { SchemaForm } from "../../parts/schema-form/schema-form.tsx";
import { takesNothing } from "../../parts/schema-form/takes-nothing.ts";
import { Empty } from "../../parts/states.tsx";
import { keepUntouched, problemWith } from "../approvals/arguments-editor.tsx";
import { CopyCall } from "./copy-call.tsx";
import { TrialList } from "./trial-list.tsx";
import { TryResult } from "./try-result.tsx";
import { useCall } from "./use-call.ts";

/** Fields of a form that leaves room for the JSON below it. */
const maxShort = 5;

/** The arguments as a form and as JSON beside the result. */
export function TryTool({ tool }: { tool: ToolAnswer }) {
  const linkedText = useLinkedArguments();
  const [text, setText] = useState(linkedText);
  const [args, setArguments] = useState<UnknownObject>(() => JSON.parse(text) as UnknownObject);
  const [isCopying, setCopying] = useState(false);
  const [runs, setRuns] = useState(0);
  const [sentText, setSentText] = useState<string | null>(null);
  const call = useCall(tool.name);
  const refusal = sentText === text ? call.data?.error : undefined;
  const mayCall = useMay("call");
  const problem = problemWith(text);
  const setArgumentsAs = (next: UnknownObject) => {
    const argumentText = JSON.stringify(next, null, 2);
    setArguments(JSON.parse(argumentText) as UnknownObject);
    setText(argumentText);
  };
  // Forms use double precision; untouched values keep their digits.
  const changeForm = (next: UnknownObject) =>
    setArgumentsAs(problem === null ? keepUntouched(next, args, readJson(text)) : next);
  const changeText = (next: string) => {
    setText(next);
    if (problemWith(next) === null) setArguments(JSON.parse(next) as UnknownObject);
  };
  const run = (dryRun: boolean) => {
    setRuns((before) => before + 1);
    setSentText(text);
    call.mutate({ args: readJson<UnknownObject>(text), dryRun });
  };
  const isDisabled = !mayCall || problem !== null || call.isPending;
  useLink(tool.name, problem === null ? text : null);
  useRunKey(isDisabled ? null : () => run(false));
  // Beside a form that fills the window, so that both are seen at once.
  const isLong = Object.keys(tool.parameters.properties ?? {}).length > maxShort;
  const jsonPanel = (
    <Panel title="As JSON">
      <Field label="Arguments as JSON" error={problem}>
        <TextArea rows={9} value={text} onChange={(event) => changeText(event.target.value)} />
      </Field>
    </Panel>
  );
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        <Panel title="Arguments">
          {takesNothing(tool.parameters) ? (
            <p className="text-sm text-muted">No arguments.</p>
          ) : (
            <SchemaForm
              schema={tool.parameters}
              value={args}
              onChange={changeForm}
              checks={runs}
              refusal={refusal}
            />
          )}
          <div className="sticky bottom-0 -mx-4 -mb-4 mt-4 flex flex-wrap gap-2 rounded-b-lg border-t border-line bg-surface p-4">
            <Button
              variant="primary"
              icon={Play}
              disabled={isDisabled}
              busy={call.isPending && !call.variables.dryRun}
              onClick={() => run(false)}
            >
              Run{" "}
              <kbd aria-hidden className="ml-1 font-sans text-2xs max-md:hidden">
                Ctrl ⏎
              </kbd>
            </Button>
            <Button
              icon={ShieldCheck}
              disabled={isDisabled}
              busy={call.isPending && call.variables.dryRun}
              onClick={() => run(true)}
            >
              Dry run
            </Button>
            {call.isPending && (
              <Button icon={Ban} onClick={call.cancel}>
                Cancel
              </Button>
            )}
            <Button
              variant="quiet"
              icon={ClipboardCopy}
              className="ml-auto"
              onClick={() => setCopying(true)}
            >
              Copy as …
            </Button>
          </div>
        </Panel>
        {!isLong && jsonPanel}
      </div>
      <div
        className={classes(
          "flex min-w-0 flex-col gap-4",
          isLong && call.isIdle && "xl:sticky xl:top-0",
        )}
      >
        {isLong && jsonPanel}
        {call.isIdle ? <NoResult /> : <TryResult tool={tool} call={call} />}
        <TrialList tool={tool.name} onPick={setArgumentsAs} />
      </div>
      {isCopying && (
        <CopyCall
          tool={tool.name}
          args={problem === null ? readJson(text) : args}
          onClose={() => setCopying(false)}
        />
      )}
    </div>
  );
}

/** The place of the result, so that the first one moves nothing. */
function NoResult() {
  return (
    <Panel title="Result" className="max-xl:hidden">
      <Empty icon={Play} title="Nothing has run yet">
        The result is shown here. A dry run checks the arguments, policy and route, and calls
        nothing.
      </Empty>
    </Panel>
  );
}

/** Runs from anywhere on the page. */
function useRunKey(run: (() => void) | null): void {
  const latestRun = useRef(run);
  latestRun.current = run;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || latestRun.current === null)
        return;
      event.preventDefault();
      latestRun.current();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** Arguments of the link; longer ones would not fit into an address. */
function useLinkedArguments(): string {
  const { args = "{}" } = route.useSearch();
  return problemWith(args) === null ? indentJson(args) : "{}";
}

const route = getRouteApi("/try");
const maxLinked = 4_000;
/** The address is updated behind the typing. */
const linkMs = 400;

/** Keeps the arguments in the address, for reloads and links. */
function useLink(tool: string, text: string | null): void {
  const router = useRouter();
  useEffect(() => {
    if (text === null || text.length > maxLinked) return;
    const isEmpty = Object.keys(JSON.parse(text) as object).length === 0;
    const search = { tool, ...(!isEmpty && { args: JSON.stringify(readJson(text)) }) };
    const timer = setTimeout(() => {
      // A link that was clicked meanwhile, whose page is still loading, wins.
      if (router.latestLocation.pathname !== router.state.resolvedLocation?.pathname) return;
      void router.navigate({ to: "/try", search, replace: true, resetScroll: false });
    }, linkMs);
    return () => clearTimeout(timer);
  }, [tool, text, router]);
}
