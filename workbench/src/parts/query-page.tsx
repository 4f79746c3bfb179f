import type { ReactNode } from "react";
import { Compass } from "./icons.ts";
import { Page } from "./page.tsx";
import { Empty, isMissing, messageOf, type Query, QueryView } from "./states.tsx";

type QueryPageProps<Data> = {
  query: Query<Data>;
  /** The title while loading. */
  title: string;
  /** The link back to the list. */
  back: ReactNode;
  children: (data: Data) => ReactNode;
};

/** A page about one item. On an error it keeps its title and the link back; what is not there leads to what is. */
export function QueryPage<Data>({ query, title, back, children }: QueryPageProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (isMissing(query.error))
    return (
      <Page title={title}>
        <Empty
          icon={Compass}
          title="It is not here"
          action={<span className={backLinkClass}>{back}</span>}
        >
          <span className="break-words">{messageOf(query.error)}</span>
        </Empty>
      </Page>
    );
  return (
    <Page title={title} about={back}>
      <QueryView query={query}>{() => null}</QueryView>
    </Page>
  );
}

const backLinkClass =
  "mt-2 inline-flex h-8 items-center rounded-md border border-line bg-surface px-3 text-sm font-medium hover:bg-sunken";
