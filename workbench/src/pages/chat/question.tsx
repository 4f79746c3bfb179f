import { useState } from "react";
import { useMay } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { TextArea } from "../../parts/field.tsx";
import { CircleStop, SendHorizontal } from "../../parts/icons.ts";

type QuestionProps = { isBusy: boolean; onAsk: (text: string) => void; onStop: () => void };

/** The draft survives page changes. */
let draft = "";

/** Enter sends; Shift+Enter starts a new line. */
export function Question({ isBusy, onAsk, onStop }: QuestionProps) {
  const [text, setText] = useState(draft);
  const changeDraft = (next: string) => {
    draft = next;
    setText(next);
  };
  const mayAsk = useMay("call");
  const isDisabled = isBusy || !mayAsk || text.trim() === "";
  const ask = () => {
    if (isDisabled) return;
    onAsk(text.trim());
    changeDraft("");
  };
  return (
    <div className="mx-auto flex w-full max-w-3xl items-end gap-2">
      <TextArea
        aria-label="Your question"
        placeholder="Ask something"
        rows={2}
        className="resize-y font-sans! text-sm!"
        value={text}
        onChange={({ target }) => changeDraft(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          ask();
        }}
      />
      {isBusy ? (
        <Button icon={CircleStop} onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button variant="primary" icon={SendHorizontal} disabled={isDisabled} onClick={ask}>
          Ask
        </Button>
      )}
    </div>
  );
}
