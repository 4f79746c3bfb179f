import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { callOperation } from "../../api/operations.ts";
import { serversQuery, type ToolsetEntry, toolsetQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { ChoiceChips } from "../../parts/choice-chips.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { Complaint, QueryView } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.ts";

type Form = { name: string; servers: string[]; allowed: string; turns: string; timeout: string };

const formOf = (entry: ToolsetEntry | undefined): Form => ({
  name: entry?.name ?? "",
  servers: entry?.providers ?? [],
  allowed: entry?.allow_tools?.join(", ") ?? "",
  turns: entry?.max_tool_call_turns?.toString() ?? "",
  timeout: entry?.timeout_sec?.toString() ?? "",
});

/** Adds a toolset to the configuration, or changes one. */
export function ToolsetDialog({
  toolset,
  onClose,
}: {
  toolset?: ToolsetEntry;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const serverList = useQuery(serversQuery());
  const [form, setForm] = useState(() => formOf(toolset));
  const bindField = (key: "name" | "allowed" | "turns" | "timeout") => ({
    value: form[key],
    onChange: (event: { target: { value: string } }) =>
      setForm({ ...form, [key]: event.target.value }),
  });
  const name = form.name.trim();
  const save = useMutation({
    mutationFn: () => callOperation("toolsets.set", { name, definition: definitionOf(form) }),
    onSuccess(saved) {
      client.setQueryData(toolsetQuery(name).queryKey, saved);
      toast(`${name} is saved.`);
      onClose();
      void navigate({ to: "/toolsets/$name", params: { name } });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["toolsets"] }),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={toolset === undefined ? "Add a toolset" : `Edit ${toolset.name}`}
      isDirty={JSON.stringify(form) !== JSON.stringify(formOf(toolset))}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Field label="Name">
          <TextInput
            required
            disabled={toolset !== undefined}
            {...bindField("name")}
            placeholder="reading"
          />
        </Field>
        <QueryView query={serverList}>
          {({ servers: knownServers }) => (
            <ChoiceChips
              label="Servers"
              value={form.servers}
              onChange={(servers) => setForm({ ...form, servers })}
              options={[
                ...new Set([...knownServers.map((server) => server.name), ...form.servers]),
              ].map((value) => ({
                value,
                text: value,
              }))}
            />
          )}
        </QueryView>
        <Field
          label="Tools"
          hint="Names or patterns of these servers, separated by commas. Empty: all of them."
        >
          <TextInput {...bindField("allowed")} placeholder="read_*, list_directory" />
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field label="Turns" hint="Turns with calls.">
            <TextInput type="number" min={1} {...bindField("turns")} />
          </Field>
          <Field label="Timeout" hint="Seconds for a call.">
            <TextInput type="number" min={0} step="any" {...bindField("timeout")} />
          </Field>
        </div>
        <Complaint error={save.error} />
        <Button
          type="submit"
          variant="primary"
          className="self-end"
          busy={save.isPending}
          disabled={name === "" || form.servers.length === 0}
        >
          Save
        </Button>
      </form>
    </Dialog>
  );
}

function definitionOf({ servers, allowed, turns, timeout }: Form) {
  const tools = allowed.split(",").flatMap((tool) => tool.trim() || []);
  return {
    providers: servers,
    ...(tools.length > 0 && { allow_tools: tools }),
    ...(turns !== "" && { max_tool_call_turns: Number(turns) }),
    ...(timeout !== "" && { timeout_sec: Number(timeout) }),
  };
}
