import type { JsonObject } from "../../../../src/model/json.ts";
import { Badge } from "../../parts/badge.tsx";
import { JsonView } from "../../parts/json-view.tsx";

type ArgumentListProps = { args: JsonObject; before?: JsonObject | undefined; injected?: readonly string[] };

/** Every argument with its whole value; nothing that matters is behind a click. */
export function ArgumentList({ args, before, injected = [] }: ArgumentListProps) {
  const names = Object.keys(args);
  const gone = Object.keys(before ?? {}).filter((name) => !Object.hasOwn(args, name));
  if (names.length + gone.length === 0)
    return <p className="text-[13px] text-muted">It is called without arguments.</p>;
  return (
    <dl className="divide-y divide-line overflow-hidden rounded-md border border-line">
      {names.map((name) => (
        <Row key={name} name={name} value={args[name]} note={noteOn(name, args, before, injected)} />
      ))}
      {gone.map((name) => (
        <Row key={name} name={name} value={before?.[name]} note="taken out by a hook" />
      ))}
    </dl>
  );
}

function noteOn(name: string, args: JsonObject, before: JsonObject | undefined, injected: readonly string[]) {
  if (injected.includes(name)) return "system";
  if (before === undefined) return null;
  if (!Object.hasOwn(before, name)) return "added by a hook";
  return JSON.stringify(before[name]) === JSON.stringify(args[name]) ? null : "changed by a hook";
}

function Row({ name, value, note }: { name: string; value: unknown; note: string | null }) {
  return (
    <div className="grid grid-cols-[minmax(64px,130px)_1fr] gap-3 px-3 py-1.5">
      <dt className="min-w-0 break-all font-mono text-xs leading-5 text-muted">
        {name} {note && <Badge tone={note === "system" ? "neutral" : "warn"}>{note}</Badge>}
      </dt>
      <dd className="min-w-0">
        {typeof value === "string" ? (
          <span className="block max-h-80 overflow-auto whitespace-pre-wrap break-words font-mono text-xs leading-5">
            {value}
          </span>
        ) : (
          <JsonView value={value} depth={9} />
        )}
      </dd>
    </div>
  );
}
