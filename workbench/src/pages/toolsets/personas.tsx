import { Link } from "@tanstack/react-router";
import { useOperation } from "../../api/operations.ts";
import type { PersonaRow } from "../../api/queries.ts";
import { User } from "../../parts/icons.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Facts, Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";

/** Everything that any file or key says of each persona. */
export function Personas() {
  return (
    <QueryView query={useOperation("personas.list", {})}>
      {({ personas }) =>
        personas.length === 0 ? (
          <Empty icon={User} title="No personas">
            A persona is named by a user, a key, a server or a tool. Its tools are hidden from
            everyone else.
          </Empty>
        ) : (
          <div className="grid items-start gap-3 xl:grid-cols-2">
            {personas.map((persona) => (
              <Panel key={persona.name} title={persona.name}>
                <PersonaFacts persona={persona} />
              </Panel>
            ))}
          </div>
        )
      }
    </QueryView>
  );
}

const maxNamed = 8;

function renderNames(names: readonly string[]): string {
  const moreCount = names.length - maxNamed;
  return names.slice(0, maxNamed).join(", ") + (moreCount > 0 ? ` and ${moreCount} more` : "");
}

function PersonaFacts({
  persona: { name, flags, users, keys, servers, tools },
}: {
  persona: PersonaRow;
}) {
  return (
    <Facts
      items={[
        ["Users", renderNames(users) || "none"],
        ["Keys", renderNames(keys) || "none"],
        ["Servers", renderNames(servers)],
        [
          "Own tools",
          tools.length === 0 ? (
            "none"
          ) : (
            <Link
              key="tools"
              to="/tools"
              search={{ persona: name }}
              title={renderNames(tools)}
              className="text-accent hover:underline"
            >
              {counted(tools.length, "tool")}
            </Link>
          ),
        ],
        ["Flags", Object.keys(flags).length > 0 && <JsonView value={flags} />],
      ]}
    />
  );
}
