import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Facts, Panel } from "../../parts/page.tsx";
import { renderDuration, Time } from "../../parts/time.tsx";
import { OperationForm } from "./operation-form.tsx";

type State = AnswerOf<"extensions.list">["extensions"][number];
type FactPanel = AnswerOf<"extensions.panels">["panels"][number];
type Operation = AnswerOf<"extensions.operations">["operations"][number];

const tones: Record<State["state"], Tone> = {
  "set up": "accent",
  started: "good",
  failed: "bad",
  stopped: "neutral",
  loaded: "good",
  "not loaded": "neutral",
};

type ExtensionPanelProps = {
  name: string;
  /** Null for those who may not know it. */
  state: State | null;
  operations: readonly Operation[];
  panels: readonly FactPanel[];
};

export function ExtensionPanel({ name, state, operations, panels }: ExtensionPanelProps) {
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-center gap-2">
          {name}
          {state && (
            <Badge dot tone={tones[state.state]}>
              {state.state}
            </Badge>
          )}
        </span>
      }
    >
      <div className="flex flex-col gap-4">
        {state && <StateFacts state={state} />}
        {panels.length > 0 && (
          <div className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
            {panels.map((panel) => (
              <FactTable key={panel.title} panel={panel} />
            ))}
          </div>
        )}
        {operations.length > 0 && (
          <section aria-label={`Operations of ${name}`}>
            <h3 className="mb-1 text-xs font-medium text-muted">Operations</h3>
            <ul className="divide-y divide-line rounded-md border border-line">
              {operations.map((operation) => (
                <OperationForm key={operation.name} operation={operation} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </Panel>
  );
}

/** What comes with Toolplane, and what each part of it costs where it is used. */
export function BuiltInPanel({ packages }: { packages: readonly State[] }) {
  return (
    <Panel title="Built in" flush>
      <table className="w-full text-left text-sm">
        <caption className="sr-only">
          Packages that come with Toolplane, loaded when something needs them
        </caption>
        <thead className="text-xs text-muted">
          <tr>
            {["Package", "State", "Since", "To load"].map((head) => (
              <th key={head} scope="col" className="px-4 py-1.5 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {packages.map(({ name, state, since, importMs }) => (
            <tr key={name}>
              <th scope="row" className="px-4 py-1.5 font-normal">
                {name}
              </th>
              <td className="px-4 py-1.5">
                <Badge dot tone={tones[state]}>
                  {state}
                </Badge>
              </td>
              <td className="px-4 py-1.5">{since === null ? "–" : <Time full at={since} />}</td>
              <td className="px-4 py-1.5">{since === null ? "–" : renderDuration(importMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

/** Why it failed comes first. */
function StateFacts({ state }: { state: State }) {
  const { state: stateName, error, about, adds, use, needs, since, importMs, setupMs } = state;
  const isFailed = stateName === "failed";
  // Operations have a list of their own.
  const additions = adds.filter((addition) => !addition.startsWith("operation "));
  return (
    <>
      {error !== null && (
        <p className="break-words rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
          {isFailed && "Not in use: "}
          {error}
        </p>
      )}
      {about !== null && <p className="text-sm">{about}</p>}
      <Facts
        items={[
          ["Adds", !isFailed && additions.length > 0 && <Badges key="adds" labels={additions} />],
          ["Uses", needs.length > 0 && needs.join(", ")],
          [
            "From",
            <span key="from" className="break-all font-mono text-xs">
              {use}
            </span>,
          ],
          [isFailed ? "Tried" : "Since", since !== null && <Time key="since" full at={since} />],
          [
            "Cost",
            !isFailed &&
              `${renderDuration(importMs)} to load, ${renderDuration(setupMs)} to set up`,
          ],
        ]}
      />
    </>
  );
}

function Badges({ labels }: { labels: readonly string[] }) {
  return (
    <ul className="flex flex-wrap gap-1.5">
      {labels.map((label, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one may add several of a kind, and they keep their order
        <li key={index}>
          <Badge>{label}</Badge>
        </li>
      ))}
    </ul>
  );
}

function FactTable({ panel: { title, facts, error } }: { panel: FactPanel }) {
  return (
    <div className="min-w-0 rounded-md border border-line p-3">
      {error !== null && <p className="text-sm text-bad">{`${title}: ${error}`}</p>}
      {error === null && (
        <table className="w-full text-left text-sm">
          <caption className="pb-1 text-left text-xs font-medium text-muted">{title}</caption>
          <tbody>
            {facts.map(({ label, value, about }) => (
              <tr key={label} className="border-t border-line/70">
                <th scope="row" className="py-1 pr-3 align-top font-normal text-muted">
                  {label}
                </th>
                <td className="break-words py-1 tabular-nums">
                  {renderValue(value)}
                  {about !== null && <span className="block text-xs text-muted">{about}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function renderValue(value: FactPanel["facts"][number]["value"]): string {
  if (value === null) return "–";
  if (typeof value !== "boolean") return String(value);
  return value ? "yes" : "no";
}
