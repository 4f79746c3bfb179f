import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useOperation } from "../../api/operations.ts";
import { useMay } from "../../app/session.ts";
import { CodeView } from "../../parts/code-view.tsx";
import { Blocks } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, type Query, QueryView } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";
import { BuiltInPanel, ExtensionPanel } from "./extension-panel.tsx";

type Extension = AnswerOf<"extensions.list">["extensions"][number];

/** What extends this plane: its state, its operations as forms, its facts. */
export function ExtensionsPage() {
  const isAdmin = useMay("admin");
  const operations = useOperation("extensions.operations", {});
  const panels = useOperation("extensions.panels", {});
  // Only admins see where each comes from and why one failed.
  const list = useOperation("extensions.list", {}, { enabled: isAdmin });
  const mainQuery: Query<unknown> = isAdmin ? list : operations;
  const ownExtensions = list.data?.extensions.filter(({ builtIn }) => !builtIn);
  const packages = list.data?.extensions.filter(({ builtIn }) => builtIn) ?? [];
  const names = [...(operations.data?.operations ?? []), ...(panels.data?.panels ?? [])].map(
    (contribution) => contribution.extension,
  );
  const shownExtensions = ownExtensions ? failedFirst(ownExtensions) : [...new Set(names)];
  return (
    <Page
      title="Extensions"
      about={ownExtensions && ownExtensions.length > 0 ? summaryOf(ownExtensions) : undefined}
    >
      <QueryView query={mainQuery}>
        {() =>
          shownExtensions.length === 0 ? (
            <NoExtensions />
          ) : (
            shownExtensions.map((extension) => {
              const [name, state] =
                typeof extension === "string" ? [extension, null] : [extension.name, extension];
              return (
                <ExtensionPanel
                  key={name}
                  name={name}
                  state={state}
                  operations={(operations.data?.operations ?? []).filter(
                    ({ extension }) => extension === name,
                  )}
                  panels={(panels.data?.panels ?? []).filter(({ extension }) => extension === name)}
                />
              );
            })
          )
        }
      </QueryView>
      {packages.length > 0 && <BuiltInPanel packages={packages} />}
    </Page>
  );
}

function failedFirst(extensions: readonly Extension[]): Extension[] {
  const isFailed = ({ state }: Extension) => state === "failed";
  return [
    ...extensions.filter(isFailed),
    ...extensions.filter((extension) => !isFailed(extension)),
  ];
}

function summaryOf(extensions: readonly Extension[]): string {
  const failed = extensions.filter(({ state }) => state === "failed").length;
  const usedText = counted(extensions.length - failed, "extension");
  return failed === 0 ? `${usedText} in use.` : `${usedText} in use, ${failed} failed.`;
}

const example = `{ "extensions": ["./ours.mjs"] }`;

function NoExtensions() {
  return (
    <Empty icon={Blocks} title="No extensions">
      <p>
        An extension is a module that adds to this plane: operations of your own, secret stores,
        kinds of providers, sources of tools, ways to ask people. Name its file or package in the
        configuration, then start the plane again:
      </p>
      <div className="mt-3">
        <CodeView label="configuration" text={example} />
      </div>
      <p className="mt-3">
        Its code runs with the rights of the plane: name only what you would install.
      </p>
    </Empty>
  );
}
