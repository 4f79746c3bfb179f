import type { UnknownObject } from "../../../../src/model/json.ts";
import { Badge } from "../../parts/badge.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";

type Property = { name: string; type: string; needed: boolean; about: string; more: string[] };

/** One row per argument; nested ones are in the schema. */
export function SchemaTable({ schema }: { schema: UnknownObject }) {
  const properties = readProperties(schema);
  if (properties.length === 0) return <p className="text-[13px] text-muted">No arguments.</p>;
  return (
    <ul className="divide-y divide-line text-[13px]">
      {properties.map(({ name, type, needed, about, more }) => (
        <li key={name} className="grid grid-cols-[minmax(90px,1fr)_3fr] gap-x-4 py-2 first:pt-0 last:pb-0">
          <div className="min-w-0">
            <div className="break-all font-mono text-xs font-medium">
              <VisibleText text={name} />
            </div>
            <div className="break-words text-xs text-muted">{type}</div>
          </div>
          <div className="min-w-0">
            <p className="whitespace-pre-wrap break-words">
              {about ? <VisibleText text={about} /> : <span className="text-muted">No description</span>}
            </p>
            <div className="mt-1 flex flex-wrap gap-1">
              {needed && <Badge tone="accent">required</Badge>}
              {more.map((text) => (
                <span key={text} className="min-w-0 break-words rounded bg-sunken px-1.5 py-px text-xs text-muted">
                  <VisibleText text={text} />
                </span>
              ))}
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}

const isRecord = (value: unknown): value is UnknownObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readProperties({ properties, required }: UnknownObject): Property[] {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, given]) => {
    const schema = isRecord(given) ? given : {};
    return {
      name,
      type: typeOf(schema),
      needed: needed.includes(name),
      about: typeof schema.description === "string" ? schema.description : "",
      more: remarksOn(schema),
    };
  });
}

export function typeOf(schema: UnknownObject): string {
  const { type, items, anyOf, oneOf, $ref } = schema;
  if (Array.isArray(type)) return type.join(" or ");
  if (type === "array") return `list of ${isRecord(items) ? typeOf(items) : "anything"}`;
  if (typeof type === "string") return type;
  const choices = [anyOf, oneOf].find(Array.isArray);
  if (choices) return choices.map((one) => (isRecord(one) ? typeOf(one) : "anything")).join(" or ");
  if (Array.isArray(schema.enum)) return "enum";
  return typeof $ref === "string" ? ($ref.split("/").at(-1) ?? "anything") : "anything";
}

const limits = {
  minimum: "at least",
  maximum: "at most",
  minLength: "length at least",
  maxLength: "length at most",
  pattern: "like",
  format: "as",
};

function remarksOn(schema: UnknownObject): string[] {
  const choices = Array.isArray(schema.enum) ? [`one of ${renderChoices(schema.enum)}`] : [];
  const fallback = schema.default === undefined ? [] : [`default ${asText(schema.default)}`];
  const bounds = Object.entries(limits).flatMap(([key, words]) =>
    schema[key] === undefined ? [] : [`${words} ${schema[key]}`],
  );
  return [...choices, ...fallback, ...bounds];
}

/** The schema tab lists them all. */
const maxChoices = 50;

function renderChoices(choices: readonly unknown[]): string {
  const shown = choices.slice(0, maxChoices).map(asText).join(", ");
  return choices.length > maxChoices ? `${shown} and ${choices.length - maxChoices} more` : shown;
}

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
