import type { ReactNode } from "react";
import type { Inline } from "./markdown-inline.ts";
import { VisibleText } from "./visible-text.tsx";

/** What stands within a line. */
export function Inlines({ pieces }: { pieces: readonly Inline[] }): ReactNode {
  return pieces.map((piece) => <InlineView key={piece.at} piece={piece} />);
}

const own = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

function InlineView({ piece }: { piece: Inline }): ReactNode {
  switch (piece.kind) {
    case "text":
      return <VisibleText text={piece.text} />;
    case "break":
      return <br />;
    case "code":
      return (
        <code className="rounded bg-sunken px-1 py-0.5 font-mono text-xs">
          <VisibleText text={piece.text} />
        </code>
      );
    case "link":
      return <WebLink address={piece.address} inside={piece.inside} />;
    case "image":
      if (own.test(piece.address)) return <img src={piece.address} alt={piece.text} className="max-h-80 max-w-full" />;
      return <span className="text-muted">[image: {piece.text || piece.address}, not loaded]</span>;
    case "strong":
      return (
        <strong className="font-semibold">
          <Inlines pieces={piece.inside} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Inlines pieces={piece.inside} />
        </em>
      );
    case "deleted":
      return (
        <del>
          <Inlines pieces={piece.inside} />
        </del>
      );
  }
}

/** Where it leads is seen before it is clicked. */
function WebLink({ address, inside }: { address: string; inside: readonly Inline[] }) {
  const [only] = inside;
  const saysSo = inside.length === 1 && only?.kind === "text" && only.text === address;
  return (
    <>
      <a
        href={address}
        title={address}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="break-all text-accent underline"
      >
        <Inlines pieces={inside} />
      </a>
      {!saysSo && <span className="break-all text-xs text-muted"> ({placeOf(address)})</span>}
    </>
  );
}

function placeOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host || address : address;
}
