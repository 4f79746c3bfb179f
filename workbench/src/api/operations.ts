import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  type UndefinedInitialDataInfiniteOptions,
  type UndefinedInitialDataOptions,
  type UseMutationOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { AnswerOf, InputOf, OperationName } from "../../../src/operations/operations.ts";
import { type RequestOptions, readAnswer, send } from "./client.ts";
import { requestOf } from "./operation-request.ts";
import { type Topic, topicOf } from "./topics.ts";

type SendOptions = Omit<RequestOptions, "body">;

/** The response of an operation, of any status: for streams and files. */
export function sendOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  { headers, ...options }: SendOptions = {},
): Promise<Response> {
  const { method, path, headers: operationHeaders, ...request } = requestOf(name, input);
  return send(method, path, {
    ...options,
    ...request,
    headers: { ...operationHeaders, ...headers },
  });
}

/** The answer of an operation; a problem is thrown as an `ApiError`. */
export async function callOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options: SendOptions = {},
): Promise<AnswerOf<Name>> {
  return readAnswer<AnswerOf<Name>>(await sendOperation(name, input, options));
}

type Key<Name extends OperationName> = readonly [topic: Topic, name: Name, input: InputOf<Name>];
type QueryExtras<Name extends OperationName, Data> = { topic?: Topic } & Omit<
  UndefinedInitialDataOptions<AnswerOf<Name>, Error, Data, Key<Name>>,
  "queryKey" | "queryFn"
>;

/** A query of an operation. Its key begins with the topic, which events and changes invalidate. */
export function operationQuery<Name extends OperationName, Data = AnswerOf<Name>>(
  name: Name,
  input: InputOf<Name>,
  { topic = topicOf(name), ...extra }: QueryExtras<Name, Data> = {},
) {
  return queryOptions<AnswerOf<Name>, Error, Data, Key<Name>>({
    ...extra,
    queryKey: [topic, name, input],
    queryFn: ({ signal }) => callOperation(name, input, { signal }),
  });
}

export function useOperation<Name extends OperationName, Data = AnswerOf<Name>>(
  name: Name,
  input: InputOf<Name>,
  extra: QueryExtras<Name, Data> = {},
): UseQueryResult<NoInfer<Data>> {
  return useQuery(operationQuery(name, input, extra));
}

type PagedName = {
  [Name in OperationName]: AnswerOf<Name> extends { nextCursor: string | null } ? Name : never;
}[OperationName];
type PagesKey<Name extends OperationName> = readonly [...Key<Name>, "pages"];
type PagesExtra<Name extends OperationName, Data> = { topic?: Topic } & Omit<
  UndefinedInitialDataInfiniteOptions<AnswerOf<Name>, Error, Data, PagesKey<Name>, string>,
  "queryKey" | "queryFn" | "initialPageParam" | "getNextPageParam"
>;

/** A list that is read page by page. */
export function operationPages<Name extends PagedName, Data = InfiniteData<AnswerOf<Name>, string>>(
  name: Name,
  input: InputOf<Name>,
  { topic = topicOf(name), ...extra }: PagesExtra<Name, Data> = {},
) {
  return infiniteQueryOptions<AnswerOf<Name>, Error, Data, PagesKey<Name>, string>({
    ...extra,
    queryKey: [topic, name, input, "pages"],
    queryFn: ({ pageParam: cursor, signal }) =>
      callOperation(name, { ...input, cursor }, { signal }),
    initialPageParam: "",
    getNextPageParam: (page) => (page as { nextCursor: string | null }).nextCursor,
  });
}

type Change<Name extends OperationName> = {
  /** What shows another state afterwards. The change is pending until it is read again. */
  changes?: readonly Topic[];
} & Omit<UseMutationOptions<AnswerOf<Name>, Error, InputOf<Name>>, "mutationFn" | "onSettled">;

/** A change by an operation. */
export function useMutateOperation<Name extends OperationName>(
  name: Name,
  { changes = [], ...options }: Change<Name> = {},
) {
  const client = useQueryClient();
  return useMutation({
    ...options,
    mutationFn: (input: InputOf<Name>) => callOperation(name, input),
    onSettled: () =>
      Promise.all(changes.map((topic) => client.invalidateQueries({ queryKey: [topic] }))),
  });
}
