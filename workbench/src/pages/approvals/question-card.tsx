import { lazy, Suspense, useState } from "react";
import type { SamplingAsked } from "../../../../src/model/calls/question-schema.ts";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { useMutateOperation } from "../../api/operations.ts";
import type { ServerQuestion } from "../../api/queries.ts";
import { useMayChange } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Field, TextArea } from "../../parts/field.tsx";
import { ExternalLink, MessageCircleQuestion } from "../../parts/icons.ts";
import { Complaint, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";

/** Loaded on demand: most questions need no form. */
const SchemaForm = lazy(async () => ({
  default: (await import("../../parts/schema-form/schema-form.tsx")).SchemaForm,
}));

/** A server's question during a call: a form, a page to visit, or a confirmation. */
export function QuestionCard({ question }: { question: ServerQuestion }) {
  const { id, server, tool, message, schema, url, sampling, expiresAt } = question;
  const answer = useMutateOperation("questions.answer", { changes: ["questions"] });
  const mayAnswer = useMayChange("call");
  const [content, setContent] = useState<UnknownObject>(() => defaultsOf(schema));
  const [answers, setAnswers] = useState(0);
  const refusal = answer.variables?.content === content ? answer.error : null;
  const isBusyWith = (action: string) => answer.isPending && answer.variables.action === action;
  const isDisabled = !mayAnswer || answer.isPending || answer.isSuccess;
  const isUnwritten = sampling !== undefined && String(content.text ?? "").trim() === "";
  const hasFields = schema !== null && fieldsOf(schema).length > 0;
  return (
    <article
      aria-label={`${server} asks something`}
      className="flex min-w-0 flex-col rounded-lg border border-accent/50 bg-surface"
    >
      <header className="flex flex-col gap-1.5 p-4">
        <h2 className="flex items-center gap-2 text-base font-semibold">
          <MessageCircleQuestion aria-hidden className="size-4 shrink-0 text-accent" />
          <span className="min-w-0 break-words">The server {server} asks</span>
        </h2>
        <p className="whitespace-pre-wrap break-words text-sm">
          <VisibleText text={message} />
        </p>
        <p className="break-words text-xs text-muted">
          before it goes on with {tool}, expires <Time at={expiresAt} />. What you answer is given
          to this server.
        </p>
      </header>
      <div className="flex flex-col gap-3 border-t border-line p-4 empty:hidden">
        {sampling && (
          <SamplingForm
            sampling={sampling}
            text={String(content.text ?? "")}
            onChange={(text) => setContent({ text })}
          />
        )}
        {hasFields && !sampling && (
          <Suspense fallback={<Loading />}>
            <SchemaForm
              schema={schema}
              value={content}
              onChange={setContent}
              idPrefix={`question-${id}`}
              checks={answers}
              refusal={refusal}
            />
          </Suspense>
        )}
        {url !== null && (
          <p className="break-all font-mono text-xs">
            <VisibleText text={url} />
          </p>
        )}
        <Complaint error={answer.error} />
      </div>
      <div className="flex gap-2 border-t border-line px-4 py-3 md:justify-end">
        <Button
          className="h-10 flex-1 md:h-8 md:flex-none"
          disabled={isDisabled}
          busy={isBusyWith("decline")}
          onClick={() => answer.mutate({ id, action: "decline" })}
        >
          Decline
        </Button>
        {sampling?.hasModel && (
          <Button
            className="h-10 flex-1 md:h-8 md:flex-none"
            disabled={isDisabled || !isUnwritten}
            busy={isBusyWith("accept") && isUnwritten}
            onClick={() => answer.mutate({ id, action: "accept", content: {} })}
          >
            Let the model answer
          </Button>
        )}
        {(url === null || isWebAddress(url)) && (
          <Button
            variant="primary"
            className="h-10 flex-1 md:h-8 md:flex-none"
            disabled={isDisabled || isUnwritten}
            busy={isBusyWith("accept") && !(sampling && isUnwritten)}
            {...(url !== null && { icon: ExternalLink })}
            onClick={() => {
              if (url !== null) window.open(url, "_blank", "noopener,noreferrer");
              setAnswers((before) => before + 1);
              answer.mutate({ id, action: "accept", ...(hasFields && { content }) });
            }}
          >
            {url === null ? "Answer" : "Open the page"}
          </Button>
        )}
      </div>
    </article>
  );
}

const isWebAddress = (url: string) => /^https?:\/\//i.test(url);

function fieldsOf(schema: ServerQuestion["schema"]): [name: string, field: unknown][] {
  const properties = schema?.properties;
  return typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
}

/** The server's defaults, editable. */
function defaultsOf(schema: ServerQuestion["schema"]): UnknownObject {
  const defaults: UnknownObject = {};
  for (const [name, field] of fieldsOf(schema))
    if (typeof field === "object" && field !== null && "default" in field)
      defaults[name] = field.default;
  return defaults;
}

type SamplingFormProps = {
  sampling: SamplingAsked;
  text: string;
  onChange: (text: string) => void;
};

/** A sampling request, and the answer of a person. */
function SamplingForm({ sampling, text, onChange }: SamplingFormProps) {
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
