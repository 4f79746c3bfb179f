import type { ReactNode } from "react";
import { Page } from "./page.tsx";
import { type Query, QueryView } from "./states.tsx";

type QueryPageProps<Data> = {
  query: Query<Data>;
  /** The title while loading. */
  title: string;
  /** The link back to the list. */
  back: ReactNode;
  children: (data: Data) => ReactNode;
};

/** A page about one item. On an error it keeps its title and the link back. */
export function QueryPage<Data>({ query, title, back, children }: QueryPageProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <Page title={title} about={back}>
      <QueryView query={query}>{() => null}</QueryView>
    </Page>
  );
}
