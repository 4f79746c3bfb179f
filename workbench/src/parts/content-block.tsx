import { stringOrEmpty, type UnknownObject } from "../../../src/model/json.ts";
import { Download, FileText } from "./icons.ts";
import { JsonView } from "./json-view.tsx";
import { ResourceLink } from "./resource-link.tsx";
import { TextView } from "./text-view.tsx";
import { renderBytes } from "./time.tsx";

type BlockProps = { block: UnknownObject; server?: string | null };

/** One block of a result, by its type; unknown types are shown as JSON. */
export function ContentBlock({ block, server = null }: BlockProps) {
  const { type, data, mimeType } = block;
  if (type === "text") return <TextView text={stringOrEmpty(block.text)} />;
  if (type === "image")
    return <Picture data={stringOrEmpty(data)} mimeType={stringOrEmpty(mimeType)} />;
  if (type === "audio")
    return <Sound data={stringOrEmpty(data)} mimeType={stringOrEmpty(mimeType)} />;
  if (type === "resource_link") return <ResourceLink block={block} server={server} />;
  if (type === "resource" && typeof block.resource === "object" && block.resource !== null)
    return <Resource resource={block.resource as UnknownObject} />;
  return <Other block={block} />;
}

const base64 = /^[A-Za-z0-9+/\s]*[A-Za-z0-9+/]={0,2}\s*$/;
const imageType = /^image\/[a-z0-9.+-]+$/i;
const audioType = /^audio\/[a-z0-9.+-]+$/i;

/** In an `img` no script runs, even in SVG. */
function Picture({ data, mimeType }: { data: string; mimeType: string }) {
  if (!base64.test(data) || !imageType.test(mimeType))
    return <Broken what="image" mimeType={mimeType} />;
  return (
    <figure className="w-fit max-w-full rounded-md border border-line bg-sunken p-2">
      <img
        src={`data:${mimeType};base64,${data}`}
        alt="Tool result"
        className="max-h-[50vh] min-h-4 min-w-4 max-w-full"
      />
      <figcaption className="mt-1 text-xs text-muted">{mimeType}</figcaption>
    </figure>
  );
}

function Sound({ data, mimeType }: { data: string; mimeType: string }) {
  if (!base64.test(data) || !audioType.test(mimeType))
    return <Broken what="sound" mimeType={mimeType} />;
  return (
    // biome-ignore lint/a11y/useMediaCaption: the tool sends no captions
    <audio
      controls
      src={`data:${mimeType};base64,${data}`}
      aria-label="Tool result"
      className="max-w-full"
    />
  );
}

function Broken({ what, mimeType }: { what: string; mimeType: string }) {
  return (
    <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      The tool returned {what === "image" ? "an image" : "a sound"} that cannot be shown
      {mimeType === "" ? " because it has no MIME type" : ` (${mimeType})`}.
    </p>
  );
}

function Resource({ resource: { uri, mimeType, text, blob } }: { resource: UnknownObject }) {
  const type = stringOrEmpty(mimeType);
  return (
    <figure
      aria-label={String(uri)}
      className="flex flex-col gap-2 rounded-md border border-line p-3"
    >
      <p className="flex items-center gap-1.5 break-all text-xs text-muted">
        <FileText aria-hidden className="size-4 shrink-0" /> {String(uri)} {type}
      </p>
      {typeof text === "string" && <TextView text={text} label={String(uri)} />}
      {typeof blob === "string" && <Bytes data={blob} mimeType={type} uri={String(uri)} />}
    </figure>
  );
}

type BytesProps = { data: string; mimeType: string; uri: string };

function Bytes({ data, mimeType, uri }: BytesProps) {
  if (imageType.test(mimeType)) return <Picture data={data} mimeType={mimeType} />;
  return <Blob64 data={data} uri={uri} />;
}

/** Download only: the browser never renders it. */
function Blob64({ data, uri }: { data: string; uri: string }) {
  if (!base64.test(data)) return <Broken what="image" mimeType="" />;
  return (
    <a
      className="flex w-fit items-center gap-1.5 text-sm text-accent hover:underline"
      href={`data:application/octet-stream;base64,${data}`}
      download={
        uri
          .split("/")
          .at(-1)
          ?.replace(/[^\w.-]/g, "_") || "resource"
      }
    >
      <Download aria-hidden className="size-4" /> Save ({renderBytes(bytesIn(data))})
    </a>
  );
}

/** Three bytes in four letters, without the padding. */
function bytesIn(data: string): number {
  const letters = data.replaceAll(/[\s=]/g, "");
  return Math.floor((letters.length * 3) / 4);
}

function Other({ block }: { block: UnknownObject }) {
  return (
    <div className="rounded-md border border-line p-3">
      <p className="mb-1 text-xs text-muted">Unknown content type</p>
      <JsonView value={block} />
    </div>
  );
}
