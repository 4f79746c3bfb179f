import { useMemo } from "react";
import type { UnknownObject } from "../../../src/model/json.ts";
import type { OutcomeAnswer } from "../api/approval-queries.ts";
import { CodeView } from "./code-view.tsx";
import { ContentBlock } from "./content-block.tsx";
import { Code } from "./icons.ts";
import { JsonView } from "./json-view.tsx";
import { setRaw, useIsRaw } from "./raw-results.ts";
import { isSaidTwice } from "./said-twice.ts";
import { renderBytes } from "./time.tsx";
import { ValueView } from "./value-view.tsx";

type ShownOutcome = Pick<OutcomeAnswer, "result" | "error" | "stored" | "artifacts">;
type ResultProps = {
  outcome: ShownOutcome;
  /** The server that answered, so that what it links to can be opened. */
  server?: string | null | undefined;
};

/** The result of a call, wherever it is shown: each part once, in the way that reads best, and as it came with V. */
export function ResultView({ outcome, server = null }: ResultProps) {
  const { result, error, stored, artifacts } = outcome;
  const isRaw = useIsRaw();
  return (
    <div className={`flex min-w-0 flex-col gap-3 ${viewsBesideSwitch}`}>
      {error && <CallError error={error} />}
      {result && <RawSwitch isRaw={isRaw} />}
      {result && isRaw && <RawResult result={result} />}
      {result && !isRaw && <Parts result={result} server={server} />}
      {stored && (
        <p className="text-sm text-muted">
          The result is too large to show; it is stored as{" "}
          <code className="font-mono text-xs">{stored.id}</code>.
        </p>
      )}
      {artifacts && artifacts.length > 0 && (
        <p className="text-sm text-muted">
          Files: {artifacts.map(({ name, bytes }) => `${name} (${renderBytes(bytes)})`).join(", ")}
        </p>
      )}
    </div>
  );
}

/** The ways to show the first part stand beside the switch. */
const viewsBesideSwitch =
  "[&>[data-raw]+[data-views]>[data-bar]]:-mt-10 [&>[data-raw]+[data-views]>[data-bar]]:mr-20 [&>[data-raw]+section>[data-views]>[data-bar]]:-mt-10 [&>[data-raw]+section>[data-views]>[data-bar]]:mr-20";

type Result = NonNullable<ShownOutcome["result"]>;

function Parts({ result, server }: { result: Result; server: string | null }) {
  const { content, structuredContent: structured } = result;
  const shownBlocks = useMemo(() => {
    const blocks = (content ?? []) as UnknownObject[];
    if (structured === undefined) return blocks;
    return blocks.filter((block) => !isSaidTwice(block, structured));
  }, [content, structured]);
  if (shownBlocks.length === 0 && structured === undefined)
    return <p className="text-sm text-muted">The result is empty.</p>;
  return (
    <>
      {/* An app that the server has for its result stands here, before the data that it shows. */}
      {structured !== undefined && (
        <section aria-label="Structured" className="min-w-0">
          <ValueView value={structured} label="the result" />
        </section>
      )}
      {shownBlocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no id and keep their order
        <ContentBlock key={index} block={block} server={server} />
      ))}
    </>
  );
}

function RawSwitch({ isRaw }: { isRaw: boolean }) {
  return (
    <button
      type="button"
      data-raw
      aria-pressed={isRaw}
      title="The result as it came (V)"
      onClick={() => setRaw(!isRaw)}
      className="flex h-7 items-center gap-1.5 self-end rounded px-2 text-xs font-medium text-muted hover:bg-sunken hover:text-ink aria-pressed:bg-accent-soft aria-pressed:text-accent"
    >
      <Code aria-hidden className="size-3.5" />
      Raw
      <kbd aria-hidden className="rounded border border-line px-1 font-mono text-2xs">
        V
      </kbd>
    </button>
  );
}

function RawResult({ result }: { result: Result }) {
  return <CodeView wrap label="the result as it came" text={JSON.stringify(result, null, 2)} />;
}

function CallError({ error }: { error: NonNullable<OutcomeAnswer["error"]> }) {
  const { code, message, data } = error as { code: string; message: string; data?: unknown };
  const hasData = typeof data === "object" && data !== null && Object.keys(data).length > 0;
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md bg-bad-soft px-3 py-2 text-sm">
      <p className="whitespace-pre-wrap break-words text-bad">
        <span className="font-mono text-xs font-semibold">{code}</span> {message}
      </p>
      {hasData && <JsonView value={data} label="details of the error" />}
    </div>
  );
}
