import type { UnknownObject } from "../../../src/model/json.ts";
import type { OutcomeAnswer } from "../api/approval-queries.ts";
import { ContentBlock } from "./content-block.tsx";
import { JsonView } from "./json-view.tsx";
import { renderBytes } from "./time.tsx";

type Shown = Pick<OutcomeAnswer, "result" | "error" | "stored" | "artifacts">;

/** A call's result: content, structured content, files. */
export function ResultView({ outcome }: { outcome: Shown }) {
  const { result, error, stored, artifacts } = outcome;
  const blocks = (result?.content ?? []) as UnknownObject[];
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {error && <CallError error={error} />}
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no id and keep their order
        <ContentBlock key={at} block={block} />
      ))}
      {result?.structuredContent !== undefined && (
        <section aria-label="Structured" className="rounded-md border border-line p-3">
          <h3 className="mb-1 text-xs font-medium text-muted">Structured</h3>
          <JsonView value={result.structuredContent} depth={3} />
        </section>
      )}
      {result && blocks.length === 0 && result.structuredContent === undefined && (
        <p className="text-[13px] text-muted">The result is empty.</p>
      )}
      {stored && (
        <p className="text-[13px] text-muted">
          The result is too large to show; it is stored as <code className="font-mono text-xs">{stored.id}</code>.
        </p>
      )}
      {artifacts && artifacts.length > 0 && (
        <p className="text-[13px] text-muted">
          Files: {artifacts.map(({ name, bytes }) => `${name} (${renderBytes(bytes)})`).join(", ")}
        </p>
      )}
    </div>
  );
}

function CallError({ error }: { error: NonNullable<OutcomeAnswer["error"]> }) {
  const { code, message, data } = error as { code: string; message: string; data?: unknown };
  const hasData = typeof data === "object" && data !== null && Object.keys(data).length > 0;
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-md bg-bad-soft px-3 py-2 text-[13px]">
      <p className="whitespace-pre-wrap break-words text-bad">
        <span className="font-mono text-xs font-semibold">{code}</span> {message}
      </p>
      {hasData && <JsonView value={data} depth={1} />}
    </div>
  );
}
