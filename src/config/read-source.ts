import { resolve } from "node:path";
import type { ConfigInput } from "../../generated/config/config-input.ts";
import type { ConfigProblem } from "../model/config/config.ts";
import type { UnknownObject } from "../model/json.ts";
import type { ConfigDocument } from "./shapes/reading.ts";
import { readDocument } from "./text/read-document.ts";

/** The servers of this user's clients, as configurations. Their files are read and never written. */
export type FoundServers = {
  documents: ConfigDocument[];
  problems: ConfigProblem[];
  /** By server, the clients that have it, as people call them. */
  foundIn: Record<string, string[]>;
};

/** Looks again each time, because clients go on writing their files. */
export type FindServers = () => Promise<FoundServers>;

type Part = string | ConfigInput | UnknownObject;

/** What is no file is judged by what is in it, whatever the compiler let through. */
export type ConfigSource = string | readonly (Part | FindServers)[] | ConfigInput | UnknownObject;

/** What a file would say. */
export type FileText = { file: string; text: string };

type ReadSource = { document: ConfigDocument | null; problems: ConfigProblem[] };

/** In order, what was found in clients first: it has the least weight. */
export async function readSource(
  source: ConfigSource,
  unsavedText: FileText | undefined,
): Promise<{ read: ReadSource[]; found: FoundServers | null }> {
  const parts: readonly (Part | FindServers)[] = [source].flat();
  const textOf = (file: string) =>
    unsavedText && resolve(unsavedText.file) === file ? unsavedText.text : undefined;
  const isFindingServers = (part: Part | FindServers): part is FindServers =>
    typeof part === "function";
  const foundServers = (await parts.find(isFindingServers)?.()) ?? null;
  const readings = parts
    .filter((part) => !isFindingServers(part))
    .map((part) => {
      if (typeof part === "string") return readDocument(resolve(part), textOf(resolve(part)));
      return { document: { file: "(given)", data: part, lineOf: () => null }, problems: [] };
    });
  const clientDocuments = (foundServers?.documents ?? []).map((document) => ({
    document,
    problems: [],
  }));
  const unreadable =
    foundServers === null ? [] : [{ document: null, problems: foundServers.problems }];
  return {
    read: [...unreadable, ...clientDocuments, ...(await Promise.all(readings))],
    found: foundServers,
  };
}
