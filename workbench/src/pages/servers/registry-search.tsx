import { useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { Button } from "../../parts/button.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";

/** Servers of the MCP registries; the chosen one is added like anything else that names a server. */
export function RegistrySearch({ onChoose }: { onChoose: (name: string) => void }) {
  const [typedQuery, setTypedQuery] = useState("");
  const [query, setQuery] = useState("");
  const searchQuery = useOperation(
    "servers.search",
    { query, limit: 30 },
    { enabled: query !== "", retry: false },
  );
  return (
    <div className="flex flex-col gap-3">
      <form
        className="flex items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(typedQuery.trim());
        }}
      >
        <div className="min-w-0 flex-1">
          <Field
            label="Find in the registry"
            hint="A part of the name, for example: github, postgres, files."
          >
            <TextInput
              type="search"
              value={typedQuery}
              onChange={({ target }) => setTypedQuery(target.value)}
            />
          </Field>
        </div>
        <Button
          type="submit"
          className="mt-5"
          disabled={typedQuery.trim() === ""}
          busy={searchQuery.isFetching}
        >
          Search
        </Button>
      </form>
      {query !== "" && (
        <QueryView query={searchQuery} what="Asking the registries">
          {({ servers, problems }) => (
            <>
              {problems.map((problem) => (
                <p key={problem} className="text-sm text-warn">
                  {problem}
                </p>
              ))}
              {servers.length === 0 ? (
                <Empty title={`No server is called “${query}”`} />
              ) : (
                <ul className="max-h-80 divide-y divide-line overflow-auto rounded-md border border-line text-sm">
                  {servers.map(({ name, title, description, version, packages, remotes }) => (
                    <li key={`${name} ${version}`} className="flex items-start gap-3 px-3 py-2">
                      <span className="min-w-0 flex-1 break-words">
                        <span className="font-medium">{title ?? name}</span>{" "}
                        <span className="text-muted">
                          {name} · {version} · {kindsOf(packages, remotes)}
                        </span>
                        <span className="line-clamp-2 text-muted">{description}</span>
                      </span>
                      <Button aria-label={`Choose ${name}`} onClick={() => onChoose(name)}>
                        Choose
                      </Button>
                    </li>
                  ))}
                </ul>
              )}
            </>
          )}
        </QueryView>
      )}
    </div>
  );
}

function kindsOf(packages: readonly { kind: string }[], remotes: readonly unknown[]): string {
  return [
    ...new Set([...packages.map(({ kind }) => kind), ...(remotes.length > 0 ? ["remote"] : [])]),
  ].join(", ");
}
