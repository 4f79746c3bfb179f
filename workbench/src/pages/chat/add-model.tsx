import { useState } from "react";
import { useMutateOperation } from "../../api/operations.ts";
import { useServerChanges, useWhyNot } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Field, Select, TextInput } from "../../parts/field.tsx";
import { Complaint } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.ts";

/** Where models are served, in the form that most of them speak. */
const services = [
  { value: "openai", text: "OpenAI", baseURL: "https://api.openai.com/v1", key: "OPENAI_API_KEY" },
  {
    value: "openrouter",
    text: "OpenRouter",
    baseURL: "https://openrouter.ai/api/v1",
    key: "OPENROUTER_API_KEY",
  },
  {
    value: "ollama",
    text: "Ollama on this machine",
    baseURL: "http://127.0.0.1:11434/v1",
    key: "",
  },
  {
    value: "lmstudio",
    text: "LM Studio on this machine",
    baseURL: "http://127.0.0.1:1234/v1",
    key: "",
  },
  { value: "other", text: "Another address", baseURL: "", key: "" },
] as const;

type ModelDraft = { service: string; baseURL: string; model: string; key: string };

const initialDraft: ModelDraft = {
  service: "openai",
  baseURL: services[0].baseURL,
  model: "",
  key: services[0].key,
};

/** Writes a model into the configuration, so that there is someone to talk to. */
export function AddModel({ onDone }: { onDone: () => void }) {
  const [draft, setDraft] = useState(initialDraft);
  const whyNot = useWhyNot("admin");
  const hasFile = useServerChanges() !== "no_file";
  const setModel = useMutateOperation("models.set", {
    changes: ["config"],
    onSuccess() {
      toast("The model is added.");
      onDone();
    },
  });
  const choose = (value: string) => {
    const { baseURL = "", key = "" } = services.find((service) => service.value === value) ?? {};
    setDraft({ ...draft, service: value, baseURL, key });
  };
  const isKeyName = draft.key === "" || /^[A-Za-z_]\w*$/.test(draft.key.trim());
  const save = () =>
    setModel.mutate({
      name: "default",
      definition: {
        baseURL: draft.baseURL.trim(),
        model: draft.model.trim(),
        ...(draft.key.trim() !== "" && { apiKey: `\${${draft.key.trim()}}` }),
      },
    });
  return (
    <form
      className="flex w-full flex-col gap-3 text-left"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Field label="Served by">
        <Select
          value={draft.service}
          onChange={({ target }) => choose(target.value)}
          options={services.map(({ value, text }) => ({ value, text }))}
        />
      </Field>
      <Field label="Address" hint="Any address that speaks the chat API of OpenAI.">
        <TextInput
          type="url"
          required
          value={draft.baseURL}
          placeholder="https://models.example.org/v1"
          onChange={({ target }) => setDraft({ ...draft, baseURL: target.value })}
        />
      </Field>
      <Field label="Model" hint="As the service names it.">
        <TextInput
          required
          autoFocus
          value={draft.model}
          placeholder="gpt-5-mini"
          onChange={({ target }) => setDraft({ ...draft, model: target.value })}
        />
      </Field>
      <Field
        label="Variable with its key"
        hint="The name of an environment variable of the plane. The key itself is not written into the file."
        error={
          isKeyName
            ? null
            : "Give the name of a variable, such as OPENAI_API_KEY, and not the key itself."
        }
      >
        <TextInput
          value={draft.key}
          placeholder="None"
          onChange={({ target }) => setDraft({ ...draft, key: target.value })}
        />
      </Field>
      <Complaint error={setModel.error} />
      <Button
        type="submit"
        variant="primary"
        className="self-end"
        whyNot={hasFile ? whyNot : "This plane has no configuration file to write to."}
        disabled={draft.model.trim() === "" || draft.baseURL.trim() === "" || !isKeyName}
        busy={setModel.isPending}
      >
        Add the model
      </Button>
    </form>
  );
}
