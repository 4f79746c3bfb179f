import { isMissing } from "./operation.ts";
import { operations } from "./operations.ts";

export type VerbFacts = {
  /** `jobs.run` is `plane.jobs.run`. */
  name: string;
  /** The inputs that the method takes by position; see `Operation.args`. */
  args: readonly string[];
  /** Which argument of the method is the caller; null where it takes none. */
  caller: number | null;
  /** Another process may ask for it over the socket. */
  isRemote: boolean;
  isAudited: boolean;
};

/** What every start needs of the operations. The build works it out (scripts/built-tables.ts), so that no start loads a schema. */
export const verbTable: readonly VerbFacts[] = [
  ...new Map(
    operations.map(({ name, args, isAnonymous, socket, audit }) => [
      name,
      {
        name,
        args,
        caller: isAnonymous ? null : args.length,
        isRemote: !isMissing(socket),
        isAudited: audit !== undefined,
      },
    ]),
  ).values(),
];
