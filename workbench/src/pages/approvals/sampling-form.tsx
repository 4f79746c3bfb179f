import type { SamplingAsked } from "../../../../src/model/calls/question-schema.ts";
import { Field, TextArea } from "../../parts/field.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";

type SamplingFormProps = {
  sampling: SamplingAsked;
  text: string;
  onChange: (text: string) => void;
};

/** A sampling request, and the answer of a person. */
export function SamplingForm({ sampling, text, onChange }: SamplingFormProps) {
  const { systemPrompt, messages, maxTokens, hasModel } = sampling;
  const conversation = [
    ...(systemPrompt === null ? [] : [{ role: "system", text: systemPrompt }]),
    ...messages,
  ];
  return (
    <>
      <ol className="flex max-h-80 flex-col gap-2 overflow-auto" aria-label="Messages to the model">
        {conversation.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no id and keep their order
          <li key={index} className="rounded-md border border-line bg-sunken px-3 py-2">
            <p className="text-xs font-medium text-muted">{message.role}</p>
            <p dir="auto" className="whitespace-pre-wrap break-words text-sm">
              <VisibleText text={message.text} />
            </p>
          </li>
        ))}
      </ol>
      <Field
        label={hasModel ? "Your answer instead of the model's" : "Your answer"}
        hint={`The server expects at most ${maxTokens} tokens.`}
      >
        <TextArea
          rows={5}
          className="font-sans! text-sm!"
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
    </>
  );
}
