import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { indentJson } from "../../../../src/lib/json/render-json.ts";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { readJson } from "../../api/exact-json.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";
import { useMay, useNeedsCredentials } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, TextArea } from "../../parts/field.tsx";
import { Ban, ClipboardCopy, Play, ShieldCheck } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { SchemaForm } from "../../parts/schema-form/schema-form.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { keepUntouched, problemWith } from "../approvals/arguments-editor.tsx";
import { renderCall } from "./render-call.ts";
import { TrialList } from "./trial-list.tsx";
import { TryResult } from "./try-result.tsx";
import { useCall } from "./use-call.ts";

/** The arguments as a form and as JSON, with the actions. */
export function TryTool({ tool }: { tool: ToolAnswer }) {
  const linked = useLinkedArguments();
  const [text, setText] = useState(linked);
  const [args, setArguments] = useState<UnknownObject>(() => JSON.parse(text) as UnknownObject);
  const [isCopying, setCopying] = useState(false);
  const [runs, setRuns] = useState(0);
  const call = useCall(tool.name);
  const mayCall = useMay("call");
  const problem = problemWith(text);
  const fill = (next: UnknownObject) => {
    const written = JSON.stringify(next, null, 2);
    setArguments(JSON.parse(written) as UnknownObject);
    setText(written);
  };
  // Forms use double precision; untouched values keep their digits.
  const fillIn = (next: UnknownObject) => fill(problem === null ? keepUntouched(next, args, readJson(text)) : next);
  const write = (next: string) => {
    setText(next);
    if (problemWith(next) === null) setArguments(JSON.parse(next) as UnknownObject);
  };
  const run = (dryRun: boolean) => {
    setRuns((before) => before + 1);
    call.mutate({ args: readJson<UnknownObject>(text), dryRun });
  };
  const cannot = !mayCall || problem !== null || call.isPending;
  useLink(tool.name, problem === null ? text : null);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears a shortcut of the controls inside
    <div
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || cannot) return;
        event.preventDefault();
        run(false);
      }}
      className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
    >
      <Panel title="Arguments">
        {takesNothing(tool.parameters) ? (
          <p className="text-[13px] text-muted">No arguments.</p>
        ) : (
          <SchemaForm schema={tool.parameters} value={args} onChange={fillIn} checks={runs} />
        )}
        <div className="mt-4 flex flex-wrap gap-2 border-t border-line pt-4">
          <Button
            variant="primary"
            icon={Play}
            disabled={cannot}
            busy={call.isPending && !call.variables.dryRun}
            onClick={() => run(false)}
          >
            Run{" "}
            <kbd aria-hidden className="ml-1 font-sans text-[11px] max-md:hidden">
              Ctrl ⏎
            </kbd>
          </Button>
          <Button
            icon={ShieldCheck}
            disabled={cannot}
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
          <Button variant="quiet" icon={ClipboardCopy} className="ml-auto" onClick={() => setCopying(true)}>
            Copy as …
          </Button>
        </div>
      </Panel>
      <Panel title="As JSON">
        <Field label="Arguments as JSON" error={problem}>
          <TextArea rows={9} value={text} onChange={(event) => write(event.target.value)} />
        </Field>
      </Panel>
      <div className="flex min-w-0 flex-col gap-4 lg:col-span-2">
        <TryResult tool={tool} call={call} />
        <TrialList tool={tool.name} onPick={fill} />
      </div>
      {isCopying && (
        <CopyCall tool={tool.name} args={problem === null ? readJson(text) : args} onClose={() => setCopying(false)} />
      )}
    </div>
  );
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
    const search = { tool, ...(isEmpty ? {} : { args: JSON.stringify(readJson(text)) }) };
    const timer = setTimeout(() => {
      // A link that was clicked meanwhile, whose page is still loading, wins.
      if (router.latestLocation.pathname !== router.state.resolvedLocation?.pathname) return;
      void router.navigate({ to: "/try", search, replace: true, resetScroll: false });
    }, linkMs);
    return () => clearTimeout(timer);
  }, [tool, text, router]);
}

/** Whether the schema has no fields; other arguments can be written as JSON. */
function takesNothing({ properties, additionalProperties, anyOf, oneOf, allOf }: UnknownObject): boolean {
  const isEmpty = Object.keys((properties as UnknownObject | undefined) ?? {}).length === 0;
  const isOpen = typeof additionalProperties === "object" || additionalProperties === true;
  return isEmpty && !isOpen && [anyOf, oneOf, allOf].every((some) => some === undefined);
}

type CopyCallProps = { tool: string; args: UnknownObject; onClose: () => void };

function CopyCall({ tool, args, onClose }: CopyCallProps) {
  const calls = renderCall(tool, args, window.location.origin, useNeedsCredentials());
  const tabs = calls.map(({ name, title, text }) => ({
    name,
    title,
    content: <CodeView wrap label={title} text={text} />,
  }));
  return (
    <Dialog open wide title="Copy the call" onClose={onClose}>
      <Tabs label="Copy as" tabs={tabs} />
    </Dialog>
  );
}
