import type { JsonObject } from "../json.ts";

/** What `add` took what it was given for. */
export type AddedKind =
  | "command"
  | "container"
  | "url"
  | "openapi"
  | "registry"
  | "bundle"
  | "pasted";

export type AddOptions = {
  name?: string;
  /** Which of our files takes it; by default the last that counts. */
  scope?: "user" | "project";
  /** Recognises, and writes nothing. */
  dryRun?: boolean;
  /** Writes it although it does not answer. */
  force?: boolean;
  /** Of the form; those of secrets are used for the trial alone. */
  values?: Readonly<Record<string, string | readonly string[]>>;
  env?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** Which way of a registry's server: npm, pypi, oci, mcpb, nuget or remote. */
  via?: string;
  /** Where secrets are kept that were pasted or said; by default nowhere, and the entry refers to a variable. */
  secrets?: SecretPlace;
  offline?: boolean;
};

export const secretPlaces = ["file", "keychain", "env"] as const;
export type SecretPlace = (typeof secretPlaces)[number];

/** A variable that must be set where the plane is started. */
export type NeededSecret = { name: string; description: string | null; isSet: boolean };

export type AddedOne = {
  name: string;
  kind: AddedKind;
  entry: JsonObject;
  /** Where it stands, or would stand. */
  file: string;
  isWritten: boolean;
  /** Null where it was not tried, or did not say. */
  tools: number | null;
  /** What can be said about it, as JSON Schema. */
  form: JsonObject | null;
  /** Fields of the form that must be filled in first. */
  missing: string[];
  variables: NeededSecret[];
  /** Secrets that were kept, by the name of the variable, and where. */
  kept?: { name: string; where: string }[];
  needsSignIn: boolean;
  /** Why it did not answer. */
  problem: string | null;
  notes: string[];
  /** Other ways that a registry offers. */
  ways: { via: string; what: string; unusable: string | null }[];
};

/** `more`: the others, where several were pasted. */
export type AddedServer = AddedOne & { more: AddedOne[] };

/** Asks a person for fields of a form; null when they would rather not. */
export type AskForm = (
  server: string,
  form: JsonObject,
) => Promise<Record<string, string | readonly string[]> | null>;

export type AddHooks = {
  ask?: AskForm;
  /** A yes or no. Without it the answer is no. */
  confirm?(question: string): Promise<boolean>;
  /** Where these secrets are to be kept. */
  keep?(server: string, names: readonly string[]): Promise<SecretPlace>;
  /** Before it is tried. */
  onDraft?(server: AddedOne): void;
};

/** What came of starting or reaching a server once. */
export type Trial = { tools: number | null; needsSignIn: boolean; problem: string | null };

export type FoundServer = {
  name: string;
  title: string | null;
  description: string;
  version: string;
  packages: { kind: string; identifier: string; version: string | null }[];
  remotes: { type: string; url: string }[];
};

export type ServerUpdate = {
  name: string;
  source: string;
  version: string;
  latest: string;
  isNewer: boolean;
  changes: { key: string; from: string | null; to: string | null }[];
  /** What the newer version wants and the entry does not give. */
  needs: string[];
  isWritten: boolean;
  notes: string[];
};
