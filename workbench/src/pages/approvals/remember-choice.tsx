import type { ApprovalAnswer, Remember } from "../../../../src/model/calls/held-call.ts";
import type { HeldAnswer } from "../../api/approval-queries.ts";
import { Field, Select } from "../../parts/field.tsx";

export type RememberedFor = {
  what: Remember["for"] | "once";
  forMs: string;
  conversation?: boolean;
};

const hour = 3_600_000;
export const anHour = String(hour);
const subjects = [
  { value: "once", text: "Only this call" },
  { value: "arguments", text: "This tool with exactly these arguments" },
  { value: "tool", text: "This tool" },
  { value: "server", text: "Every tool of its server" },
];
const durations = [
  { value: anHour, text: "for an hour" },
  { value: String(8 * hour), text: "for 8 hours" },
  { value: String(7 * 24 * hour), text: "for a week" },
  { value: "", text: "with no expiry" },
];

/** The scope and duration of an approval. */
export function toRemember({
  what,
  forMs,
  conversation,
}: RememberedFor): Pick<ApprovalAnswer, "remember"> {
  if (what === "once") return {};
  const remember: Remember = { for: what };
  if (forMs !== "") remember.forMs = Number(forMs);
  if (conversation) remember.conversation = true;
  return { remember };
}

type RememberChoiceProps = {
  heldCall: HeldAnswer;
  value: RememberedFor;
  onChange: (value: RememberedFor) => void;
};

export function RememberChoice({ heldCall, value, onChange }: RememberChoiceProps) {
  if (heldCall.adminRequired)
    return (
      <p className="self-center text-xs text-muted">
        A rule requires approval each time, so approvals are not remembered.
      </p>
    );
  const inConversation = heldCall.options.conversation !== undefined;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Field label="Approve for">
        <Select
          options={subjects}
          value={value.what}
          onChange={({ target }) =>
            onChange({ ...value, what: target.value as RememberedFor["what"] })
          }
        />
      </Field>
      {value.what !== "once" && (
        <div className="flex flex-wrap items-center gap-3">
          <Select
            aria-label="How long"
            className="w-auto!"
            options={durations}
            value={value.forMs}
            onChange={({ target }) => onChange({ ...value, forMs: target.value })}
          />
          {inConversation && (
            <label className="flex items-center gap-1.5 text-sm">
              <input
                type="checkbox"
                checked={value.conversation ?? false}
                onChange={({ target }) => onChange({ ...value, conversation: target.checked })}
              />
              only in this conversation
            </label>
          )}
        </div>
      )}
    </div>
  );
}
