import type { LoadedExtension } from "../config/config.ts";
import type { Config } from "../model/config/config.ts";
import { PlaneError } from "../model/errors.ts";
import type { EventOf, EventType, PlaneEvent } from "../model/events.ts";
import type { ReadSecret } from "../model/extensions/extension.ts";
import type { Json, JsonObject, UnknownObject } from "../model/json.ts";
import type { Plane } from "../model/plane.ts";
import type { PlaneOptions } from "../model/plane-options.ts";
import type { PackageState } from "./watch-packages.ts";

export type ExtensionsContext = {
  readonly options: Pick<PlaneOptions, "face" | "watch">;
  readonly settings: {
    config(): Config;
    extensions(): readonly LoadedExtension[];
    withSecrets<T>(value: T, directory: string): Promise<T>;
    /** Has the project a section of this name that no person trusts as it is now? */
    waitsForTrust(section: string): boolean;
    readAddedSecrets(readers: (kind: string) => ReadSecret | undefined): void;
  };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly recorder: {
    on<T extends EventType>(type: T, listener: (event: EventOf<T>) => void): () => void;
    emit(event: PlaneEvent): void;
  };
  readonly catalogue: {
    handWritten: {
      setAdded(
        source: string,
        manifests: readonly UnknownObject[],
        onWrong: (why: string, at: number) => void,
      ): void;
    };
  };
  /** Of the packages that come with the product. */
  packageStates(): PackageState[];
  readonly calls: {
    checkSchema(
      schema: JsonObject,
      value: Json,
    ): Promise<readonly { path: string; message: string }[]>;
  };
  /** The plane, for callers of its own. */
  readonly plane: Plane;
};

export function notFound(operation: string): PlaneError {
  const message = `No extension has an operation '${operation}'. 'toolplane extensions list' shows what extensions have.`;
  return new PlaneError("NOT_FOUND", message, { data: { operation } });
}
