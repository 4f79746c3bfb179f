import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { listOrEmpty, stringOrEmpty, type UnknownObject } from "../../../../src/model/json.ts";
import { callOperation, useOperation } from "../../api/operations.ts";
import { Button } from "../../parts/button.tsx";
import { ContentBlock } from "../../parts/content-block.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Panel } from "../../parts/page.tsx";
import { Complaint } from "../../parts/states.tsx";

type Item = UnknownObject & { server: string };
type OpenedOffer = { kind: "prompt" | "resource" | "template"; item: Item };

/** Prompts, resources and templates of a server, each to be looked at. Nothing where it has none. */
export function OffersPanel({ server }: { server: string }) {
  const [opened, setOpened] = useState<OpenedOffer | null>(null);
  const prompts = useOperation("prompts.list", { server, limit: 500 }, { retry: false });
  const resources = useOperation("resources.list", { server, limit: 500 }, { retry: false });
  const rows: OpenedOffer[] = [
    ...(prompts.data?.prompts ?? []).map((item) => ({
      kind: "prompt" as const,
      item: item as Item,
    })),
    ...(resources.data?.resources ?? []).map((item) => ({
      kind: "resource" as const,
      item: item as Item,
    })),
    ...(resources.data?.resourceTemplates ?? []).map((item) => ({
      kind: "template" as const,
      item: item as Item,
    })),
  ];
  const error = prompts.error ?? resources.error;
  if (rows.length === 0 && error === null) return null;
  return (
    <Panel flush title="Prompts and resources">
      <div className="px-4 py-2 empty:hidden">
        <Complaint error={error} />
      </div>
      <ul className="max-h-96 divide-y divide-line overflow-auto text-sm">
        {rows.map(({ kind, item }) => {
          const name =
            stringOrEmpty(item.title) ||
            stringOrEmpty(item.name) ||
            stringOrEmpty(item.uri) ||
            stringOrEmpty(item.uriTemplate);
          return (
            <li
              key={`${kind} ${stringOrEmpty(item.name)} ${stringOrEmpty(item.uri)}`}
              className="flex items-center gap-3 px-4 py-2"
            >
              <span className="w-16 shrink-0 text-muted">{kind}</span>
              <span className="min-w-0 flex-1 break-words">
                <span className="font-medium">{name}</span>
                <span className="block text-muted">{stringOrEmpty(item.description)}</span>
              </span>
              <Button
                variant="quiet"
                aria-label={`Open ${name}`}
                onClick={() => setOpened({ kind, item })}
              >
                Open
              </Button>
            </li>
          );
        })}
      </ul>
      {opened !== null && <OfferDialog {...opened} onClose={() => setOpened(null)} />}
    </Panel>
  );
}

/** Names of `{name}` in a template, or of a prompt's arguments. */
function fieldsOf({ kind, item }: OpenedOffer): { name: string; isRequired: boolean }[] {
  if (kind === "template")
    return [...stringOrEmpty(item.uriTemplate).matchAll(/\{[+#./;?&]?([^{}*]+)\*?\}/g)].flatMap(
      ([, names = ""]) => names.split(",").map((name) => ({ name, isRequired: true })),
    );
  const promptArguments = listOrEmpty(item.arguments) as UnknownObject[];
  return promptArguments.map(({ name, required }) => ({
    name: stringOrEmpty(name),
    isRequired: required === true,
  }));
}

function OfferDialog({ kind, item, onClose }: OpenedOffer & { onClose: () => void }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const fields = fieldsOf({ kind, item });
  const open = useMutation({
    mutationFn: () => {
      const { server } = item;
      if (kind === "prompt")
        return callOperation("prompts.get", {
          name: server,
          prompt: stringOrEmpty(item.name),
          arguments: values,
        });
      const uri =
        kind === "resource"
          ? stringOrEmpty(item.uri)
          : fill(stringOrEmpty(item.uriTemplate), values);
      return callOperation("resources.read", { name: server, uri });
    },
  });
  return (
    <Dialog
      wide
      open
      onClose={onClose}
      title={stringOrEmpty(item.name) || stringOrEmpty(item.uri) || kind}
    >
      <div className="flex flex-col gap-3 text-sm">
        {stringOrEmpty(item.uri) + stringOrEmpty(item.uriTemplate) !== "" && (
          <p className="break-all font-mono text-xs text-muted">
            {stringOrEmpty(item.uri) || stringOrEmpty(item.uriTemplate)}
          </p>
        )}
        {fields.map(({ name, isRequired }) => (
          <Field key={name} label={isRequired ? name : `${name} (optional)`}>
            <TextInput
              value={values[name] ?? ""}
              onChange={({ target }) => setValues({ ...values, [name]: target.value })}
            />
          </Field>
        ))}
        <Button
          variant="primary"
          className="self-start"
          busy={open.isPending}
          onClick={() => open.mutate()}
        >
          {kind === "prompt" ? "Get the prompt" : "Read it"}
        </Button>
        <Complaint error={open.error} />
        {open.data && <OfferContent answer={open.data} />}
      </div>
    </Dialog>
  );
}

const fill = (template: string, values: Record<string, string>) =>
  template.replaceAll(/\{[+#./;?&]?([^{}*]+)\*?\}/g, (_, names: string) =>
    names
      .split(",")
      .map((name) => encodeURIComponent(values[name] ?? ""))
      .join(","),
  );

function OfferContent({ answer }: { answer: UnknownObject }) {
  const { messages, contents } = answer as {
    messages?: UnknownObject[];
    contents?: UnknownObject[];
  };
  if (messages)
    return messages.map(({ role, content }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: messages have no id and keep their order
      <section key={index} className="rounded-md border border-line p-3">
        <h3 className="mb-1 text-xs font-medium text-muted">{stringOrEmpty(role)}</h3>
        <ContentBlock block={content as UnknownObject} />
      </section>
    ));
  if (contents)
    return contents.map((resource, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: contents may share a URI and keep their order
      <ContentBlock key={index} block={{ type: "resource", resource }} />
    ));
  return <JsonView value={answer} />;
}
