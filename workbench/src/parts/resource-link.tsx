import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { UnknownObject } from "../../../src/model/json.ts";
import { operationQuery } from "../api/operations.ts";
import { Button } from "./button.tsx";
import { ContentBlock } from "./content-block.tsx";
import { ExternalLink, FileText } from "./icons.ts";
import { QueryView } from "./states.tsx";
import { VisibleText } from "./visible-text.tsx";

type LinkProps = { block: UnknownObject; server: string | null };

/** What a tool points to: a page opens in a tab, a resource of the server opens here. */
export function ResourceLink({
  block: { uri, name, title, description, mimeType },
  server,
}: LinkProps) {
  const [isOpen, setOpen] = useState(false);
  const address = String(uri);
  const isWeb = /^https?:\/\//i.test(address);
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <FileText aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="font-medium">
          <VisibleText text={String(title ?? name ?? "resource")} />
        </span>
        <span className="min-w-0 break-all font-mono text-xs text-muted">
          <VisibleText text={address} />
        </span>
        <span className="ml-auto flex gap-2">
          {isWeb && (
            <a
              href={address}
              target="_blank"
              rel="noopener noreferrer nofollow"
              className="inline-flex items-center gap-1 text-accent hover:underline"
            >
              <ExternalLink aria-hidden className="size-4" /> Open the page
            </a>
          )}
          {server !== null && (
            <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? "Close" : "Read it"}
            </Button>
          )}
        </span>
      </div>
      {(mimeType !== undefined || description !== undefined) && (
        <p className="text-xs text-muted">
          <VisibleText text={[mimeType, description].filter(Boolean).join(", ")} />
        </p>
      )}
      {isOpen && server !== null && <ResourceContents server={server} uri={address} />}
    </div>
  );
}

function ResourceContents({ server, uri }: { server: string; uri: string }) {
  const query = useQuery(operationQuery("resources.read", { name: server, uri }, { retry: false }));
  return (
    <QueryView query={query}>
      {({ contents }) =>
        (contents as UnknownObject[]).map((resource, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: contents may share a URI and keep their order
          <ContentBlock key={index} block={{ type: "resource", resource }} server={server} />
        ))
      }
    </QueryView>
  );
}
