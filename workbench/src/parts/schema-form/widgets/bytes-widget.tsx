import { ariaDescribedByIds, type RJSFSchema, type WidgetProps } from "@rjsf/utils";
import { useState } from "react";
import { stringOrEmpty, type UnknownObject } from "../../../../../src/model/json.ts";
import { IconButton } from "../../button.tsx";
import { Trash2 } from "../../icons.ts";
import { renderBytes } from "../../time.tsx";
import { cutText } from "../looks.tsx";

/** As base64 it is a third longer, and the plane takes requests of up to 4 MB. */
const maxBytes = 3_000_000;

/** A file, sent as base64. */
export function BytesWidget(props: WidgetProps<UnknownObject, RJSFSchema>) {
  const { id, name, value, disabled, readonly, schema, rawErrors = [], onChange } = props;
  const [chosen, setChosen] = useState<{ name: string; text: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const text = stringOrEmpty(value);
  const { contentMediaType } = schema;
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > maxBytes)
      return setProblem(
        `${cutText(file.name, 100)} has ${renderBytes(file.size)}; at most ${limit} can be sent.`,
      );
    setProblem(null);
    const content = await toBase64(file);
    setChosen({ name: file.name, text: content });
    onChange(content);
  };
  const clear = () => {
    setProblem(null);
    onChange(undefined);
  };
  return (
    <div className="flex min-w-0 flex-col gap-1 text-xs">
      <input
        {...{ id, name: id }}
        // Another file of the same name is one more choice.
        key={text === "" ? "none" : "one"}
        type="file"
        className="w-full min-w-0 rounded-md border border-line bg-surface text-xs text-muted file:mr-2 file:h-8 file:border-0 file:bg-sunken file:px-2.5 file:text-ink"
        accept={typeof contentMediaType === "string" ? contentMediaType : undefined}
        disabled={disabled || readonly}
        aria-invalid={rawErrors.length > 0 || undefined}
        aria-describedby={ariaDescribedByIds(id)}
        onChange={({ target }) => void take(target.files?.[0])}
      />
      {text === "" ? (
        <span className="text-muted">At most {limit}; sent as base64.</span>
      ) : (
        <span className="flex items-center gap-1">
          <bdi className="break-all font-mono">
            {chosen?.text === text ? cutText(chosen.name, 100) : "base64"}
          </bdi>
          <span className="text-muted">{renderBytes(sizeOf(text))}</span>
          <IconButton label={`Remove the file of ${name}`} icon={Trash2} onClick={clear} />
        </span>
      )}
      {problem !== null && (
        <span role="alert" className="text-bad">
          {problem}
        </span>
      )}
    </div>
  );
}

const limit = renderBytes(maxBytes);

const sizeOf = (base64: string) => Math.floor((base64.replace(/(?<!=)=+$/, "").length * 3) / 4);

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    // `data:TYPE;base64,CONTENT`; an empty file has no content.
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.readAsDataURL(file);
  });
}
