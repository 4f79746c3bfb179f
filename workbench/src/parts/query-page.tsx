import type { ReactNode } from "react";
import { Page } from "./page.tsx";
import { type Query, QueryView } from "./states.tsx";

type QueryPageProps<Data> = {
  query: Query<Data>;
  /** What it is called until more is known of it. */
  title: string;
  /** The way back to all of them. */
  back: ReactNode;
  children: (data: Data) => ReactNode;
};

/** A page about one thing. Where it cannot be shown, there is still a title and a way back. */
export function QueryPage<Data>({ query, title, back, children }: QueryPageProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <Page title={title} about={back}>
      <QueryView query={query}>{() => null}</QueryView>
    </Page>
  );
}
