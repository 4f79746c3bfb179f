import type { AddedProvider } from "../model/calls/provider.ts";
import type { Embed } from "../model/catalogue/search.ts";
import type {
  ApprovalChannel,
  ExecuteStage,
  ExtensionOperation,
  OpenTransport,
  Panel,
  RankTools,
  ReadSecret,
  ScanDefinition,
} from "../model/extensions/extension.ts";

/** Something that an extension has added. */
export type Owned<T> = { extension: string; value: T };

/** Everything that extensions have added and the rooms of the plane look up. What comes later wins where only one can. */
export function createAdditions() {
  return {
    providers: new Map<string, Owned<AddedProvider>>(),
    secrets: new Map<string, Owned<ReadSecret>>(),
    transports: new Map<string, Owned<OpenTransport>>(),
    operations: new Map<string, Owned<ExtensionOperation>>(),
    scanners: new Set<Owned<ScanDefinition>>(),
    embedders: new Set<Owned<Embed>>(),
    rankers: new Set<Owned<RankTools>>(),
    channels: new Set<Owned<ApprovalChannel>>(),
    stages: new Set<Owned<ExecuteStage>>(),
    panels: new Set<Owned<Panel>>(),
  };
}

export type Additions = ReturnType<typeof createAdditions>;

export const newestOf = <T>(additions: ReadonlySet<Owned<T>>): Owned<T> | undefined =>
  [...additions].at(-1);
