import type { AddedProvider, ProviderOptions, ToolFunction, Unregister } from "./calls/provider.ts";
import type {
  BundleChoice,
  BundleExport,
  BundleImport,
  ChangeFilter,
  ChangePage,
  EntryChange,
  WorkKind,
} from "./catalogue/change.ts";
import type { WrittenManifest } from "./catalogue/tool.ts";
import type { OverlayVerbs } from "./overlay-verbs.ts";
import type { Caller } from "./principal.ts";

/** A tool of this program: its manifest, and the function that executes it where no other provider does. */
export type Registration = WrittenManifest | { manifest: WrittenManifest; run: ToolFunction };

/** What people and programs write into the catalogue. */
export interface EntryVerbs extends OverlayVerbs {
  /**
   * Adds a tool, or replaces the one of its name and persona, until the plane stops. Effective at once.
   *
   * @example
   * plane.register({
   *   manifest: { name: "double", description: "Doubles a number.", side_effects: "none" },
   *   run: ({ n }) => Number(n) * 2,
   * });
   */
  register(tool: Registration): void;
  /** True when there was one; what the configuration has under that name is there again. */
  unregister(name: string, options?: { persona?: string }): boolean;
  /**
   * Adds a kind of provider that manifests can name, until it is taken back. Of two under one name the later counts;
   * those that we have ourselves cannot be replaced.
   *
   * @example
   * using mail = plane.registerProvider("mail", async (spec, args) => ({ content: [{ type: "text", text: "sent" }] }));
   */
  registerProvider(kind: string, provider: AddedProvider, options?: ProviderOptions): Unregister;
  /** Sets a tool for good: it is there at once, and after a restart, in place of a file's of its name and persona. */
  setTool(
    manifest: WrittenManifest,
    options?: { reason?: string },
    caller?: Caller,
  ): Promise<EntryChange & { warnings: string[] }>;
  /** True when there was one that people set; what a file has under that name is there again. */
  deleteTool(name: string, options?: { persona?: string; reason?: string }, caller?: Caller): Promise<boolean>;
  /** The same for a skill, a task or a job that a bundle brought. What others still need is refused. */
  deleteEntry(
    kind: WorkKind,
    name: string,
    options?: { persona?: string; reason?: string },
    caller?: Caller,
  ): Promise<boolean>;
  /** What happened to the catalogue, newest first; 50 of them when it is not said how many. */
  changes(query?: ChangeFilter & { limit?: number; offset?: number }, caller?: Caller): Promise<ChangePage>;
  /** Hand-written entries as one signed document. */
  exportBundle(choice?: BundleChoice, caller?: Caller): Promise<BundleExport>;
  /** Takes over all entries of a bundle, or none. The reason is asked for unless nothing is changed. */
  importBundle(bundle: string, options: { reason?: string; dryRun?: boolean }, caller?: Caller): Promise<BundleImport>;
}
