import type { JsonObject } from "../../../../src/model/json.ts";
import { Badge } from "../../parts/badge.tsx";
import { LongText } from "../../parts/long-text.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";

type ArgumentListProps = {
  title?: string;
  args: JsonObject;
  before?: JsonObject | undefined;
  injected?: readonly string[];
};

/** Every argument with its whole value; nothing is hidden behind a click. */
export function ArgumentList({ title, ...list }: ArgumentListProps) {
  if (title === undefined) return <Rows {...list} />;
  return (
    <section className="flex min-w-0 flex-col gap-1.5">
      <h3 className="text-xs font-medium">{title}</h3>
      <Rows {...list} />
    </section>
  );
}

function Rows({ args, before, injected = [] }: Omit<ArgumentListProps, "title">) {
  const names = Object.keys(args);
  const removedNames = Object.keys(before ?? {}).filter((name) => !Object.hasOwn(args, name));
  if (names.length + removedNames.length === 0)
    return <p className="text-sm text-muted">No arguments.</p>;
  return (
    <dl className="divide-y divide-line overflow-hidden rounded-md border border-line">
      {names.map((name) => (
        <Row
          key={name}
          name={name}
          value={args[name]}
          note={noteOn(name, args, before, injected)}
        />
      ))}
      {removedNames.map((name) => (
        <Row key={name} name={name} value={before?.[name]} note="removed by a hook" />
      ))}
    </dl>
  );
}

function noteOn(
  name: string,
  args: JsonObject,
  before: JsonObject | undefined,
  injected: readonly string[],
) {
  if (injected.includes(name)) return "system";
  if (before === undefined) return null;
  if (!Object.hasOwn(before, name)) return "added by a hook";
  return JSON.stringify(before[name]) === JSON.stringify(args[name]) ? null : "changed by a hook";
}

function Row({ name, value, note }: { name: string; value: unknown; note: string | null }) {
  return (
    <div className="grid gap-x-3 px-3 py-1.5 md:grid-cols-[minmax(64px,130px)_1fr]">
      <dt className="min-w-0 break-all font-mono text-xs leading-5 text-muted">
        <VisibleText text={name} />{" "}
        {note && <Badge tone={note === "system" ? "neutral" : "warn"}>{note}</Badge>}
      </dt>
      <dd
        dir="auto"
        className="min-w-0 whitespace-pre-wrap break-words font-mono text-xs leading-5"
      >
        {value === "" ? (
          <span className="text-muted">empty string</span>
        ) : (
          <LongText text={renderWhole(value)} />
        )}
      </dd>
    </div>
  );
}

/** A tree could be closed; what is approved is seen whole. */
function renderWhole(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "undefined");
}
