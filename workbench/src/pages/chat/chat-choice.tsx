import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { Select } from "../../parts/field.tsx";
import { type AskOptions, chatStyles } from "./conversation.ts";

export type Choices = AnswerOf<"agent.choices">;

type ChoiceProps = {
  choices: Choices;
  options: AskOptions;
  onChange: (options: AskOptions) => void;
};

/** Which model answers, with which tools, and how it calls them. */
export function Choice({ choices, options, onChange }: ChoiceProps) {
  return (
    <>
      {choices.models.length > 1 && (
        <Select
          aria-label="Model"
          className="w-auto!"
          options={[{ value: "", text: "Default model" }, ...choices.models]}
          value={options.model}
          onChange={({ target }) => onChange({ ...options, model: target.value })}
        />
      )}
      <Select
        aria-label="Tools"
        className="w-auto!"
        options={[{ value: "", text: "Every tool" }, ...choices.toolsets]}
        value={options.toolset}
        onChange={({ target }) => onChange({ ...options, toolset: target.value })}
      />
      <Select
        aria-label="Style"
        className="w-auto!"
        title="ReACT is for models without tool calls. With Code the model writes programs that call the tools."
        options={Object.entries(chatStyles).map(([value, text]) => ({ value, text }))}
        value={options.style}
        onChange={({ target }) =>
          onChange({ ...options, style: target.value as AskOptions["style"] })
        }
      />
    </>
  );
}
