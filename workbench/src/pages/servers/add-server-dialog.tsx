import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callOperation } from "../../api/operations.ts";
import { serversQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Select, TextArea, TextInput } from "../../parts/field.tsx";
import { Complaint, messageOf } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { toast } from "../../parts/toast.ts";
import { AddAnything } from "./add-anything.tsx";
import { renderAddCommand } from "./add-command.ts";
import { type PastedServer, parsePastedServers } from "./pasted-servers.ts";
import { ProveFirst, Unlock } from "./prove-first.tsx";
import { RegistrySearch } from "./registry-search.tsx";
import { emptyForm, type Form, type FormServers, fromForm, noServers } from "./typed-server.ts";

/** Adds a server from a form, from another client's JSON, or from whatever names one. */
export function AddServerDialog({ onClose }: { onClose: () => void }) {
  const [tabName, setTabName] = useState("anything");
  const [form, setForm] = useState<Form>(emptyForm);
  const [pasted, setPasted] = useState("");
  const [typed, setTyped] = useState("");
  const choose = (name: string) => {
    setTyped(name);
    setTabName("anything");
  };
  const serversOf: Record<string, () => FormServers> = {
    form: () => fromForm(form),
    paste: () => fromText(pasted),
  };
  const { servers, leftOut, problem } = serversOf[tabName]?.() ?? { ...noServers, problem: null };
  return (
    <Dialog
      wide
      open
      isDirty={pasted + typed !== "" || !isEmpty(form)}
      onClose={onClose}
      title="Add a server"
    >
      <div className="flex flex-col gap-4">
        <Unlock />
        <Tabs
          label="How to add"
          value={tabName}
          onChange={setTabName}
          tabs={[
            {
              name: "anything",
              title: "Anything",
              content: <AddAnything what={typed} onDone={onClose} onTyped={setTyped} />,
            },
            { name: "registry", title: "Registry", content: <RegistrySearch onChoose={choose} /> },
            { name: "form", title: "Form", content: <FormFields form={form} onChange={setForm} /> },
            {
              name: "paste",
              title: "Paste JSON",
              content: <Paste text={pasted} onChange={setPasted} />,
            },
          ]}
        />
        {problem !== null && <Complaint error={problem} />}
        {leftOut.length > 0 && (
          <p className="break-words text-sm text-warn">
            Left out: {leftOut.map(({ name, reason }) => `${name} (${reason})`).join("; ")}.
          </p>
        )}
        <Adding servers={servers} onDone={onClose} />
      </div>
    </Dialog>
  );
}

const isEmpty = (form: Form) =>
  (Object.keys(emptyForm) as (keyof Form)[]).every(
    (key) => key === "kind" || form[key] === emptyForm[key],
  );

type FormFieldsProps = {
  form: Form;
  onChange: (form: Form) => void;
  /** The name is known. */
  isNamed?: boolean;
};

export function FormFields({ form, onChange, isNamed = false }: FormFieldsProps) {
  const bindField = (key: keyof Form) => ({
    value: form[key],
    onChange: (event: { target: { value: string } }) =>
      onChange({ ...form, [key]: event.target.value }),
  });
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {!isNamed && (
        <Field label="Name">
          <TextInput {...bindField("name")} placeholder="files" />
        </Field>
      )}
      <Field label="Kind">
        <Select
          {...bindField("kind")}
          options={[
            { value: "command", text: "A program on this machine" },
            { value: "url", text: "A remote server" },
          ]}
        />
      </Field>
      {form.kind === "command" ? (
        <>
          <div className="sm:col-span-2">
            <Field label="Command">
              <TextInput {...bindField("command")} placeholder="npx" />
            </Field>
          </div>
          <Field label="Arguments" hint="One per line.">
            <TextArea
              {...bindField("args")}
              rows={3}
              placeholder={"-y\n@modelcontextprotocol/server-filesystem\n."}
            />
          </Field>
          <Field label="Environment" hint="NAME=value, one per line. Refer to secrets as ${NAME}.">
            <TextArea {...bindField("env")} rows={3} placeholder={"TOKEN=${MY_TOKEN}"} />
          </Field>
        </>
      ) : (
        <>
          <div className="sm:col-span-2">
            <Field label="URL">
              <TextInput {...bindField("url")} placeholder="https://mcp.example.com/mcp" />
            </Field>
          </div>
          <Field label="Headers" hint="Name=value, one per line. Refer to secrets as ${NAME}.">
            <TextArea
              {...bindField("headers")}
              rows={3}
              placeholder={"Authorization=Bearer ${TOKEN}"}
            />
          </Field>
        </>
      )}
    </div>
  );
}

function Paste({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
    <Field
      label="Configuration"
      hint="From Claude, Cursor, VS Code, Windsurf, Zed, Gemini or any other client."
    >
      <TextArea
        rows={10}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        placeholder={'{ "mcpServers": { "files": { "command": "npx", "args": ["…"] } } }'}
      />
    </Field>
  );
}

function Adding({ servers, onDone }: { servers: readonly PastedServer[]; onDone: () => void }) {
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: async () => {
      for (const { name, definition } of servers)
        await callOperation("servers.set", { name, definition });
    },
    onSuccess() {
      toast(`Added ${servers.map(({ name }) => name).join(", ")}.`);
      onDone();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["servers"] }),
  });
  const knownServers = useQuery(serversQuery()).data?.servers ?? [];
  if (servers.length === 0) return null;
  const replaced = servers.filter(({ name }) =>
    knownServers.some((server) => server.name === name),
  );
  return (
    <ProveFirst isAsked {...renderInstead(servers)}>
      <Complaint error={add.error} />
      {replaced.length > 0 && (
        <p className="break-words text-sm text-warn">
          {replaced.map(({ name }) => name).join(", ")}: there is a server of that name. The
          existing entry about it is replaced.
        </p>
      )}
      <Button
        variant={replaced.length > 0 ? "danger" : "primary"}
        className="self-end"
        busy={add.isPending}
        onClick={() => add.mutate()}
      >
        {replaced.length === servers.length ? "Replace" : "Add"}{" "}
        {servers.length === 1 ? servers[0]?.name : `${servers.length} servers`}
      </Button>
    </ProveFirst>
  );
}

/** The equivalent command. */
function renderInstead(servers: readonly PastedServer[]): { command: string; isFile: boolean } {
  const commands = servers.map(renderAddCommand);
  if (commands.every((command) => command !== null))
    return { command: commands.join("\n"), isFile: false };
  const entries = Object.fromEntries(servers.map(({ name, definition }) => [name, definition]));
  return { command: JSON.stringify({ mcpServers: entries }, null, 2), isFile: true };
}

function fromText(text: string): FormServers {
  if (text.trim() === "") return { ...noServers, problem: null };
  try {
    return { ...parsePastedServers(text), problem: null };
  } catch (thrown) {
    return { ...noServers, problem: messageOf(thrown) };
  }
}
