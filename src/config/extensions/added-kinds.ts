import type { Extension, FileFormat } from "../../model/extensions/extension.ts";

/**
 * Names that extensions have added to what a configuration may say. Names only, for the whole process: how such a secret
 * is read and such an address is opened is known to each plane.
 */
const added = {
  secrets: new Set<string>(),
  providers: new Set<string>(),
  schemes: new Set<string>(),
  formats: new Map<string, FileFormat>(),
};

export const addedSecrets: ReadonlySet<string> = added.secrets;

export const addedProviders: ReadonlySet<string> = added.providers;

export const isAddedScheme = (scheme: string): boolean => added.schemes.has(scheme.toLowerCase());

export const addedFormats = (): FileFormat[] => [...added.formats.values()];

export function addKinds({
  secrets = [],
  providers = [],
  transports = [],
  formats = [],
}: Extension): void {
  for (const format of formats) added.formats.set(format.name, format);
  for (const kind of secrets) added.secrets.add(kind);
  for (const kind of providers) added.providers.add(kind);
  for (const scheme of transports) added.schemes.add(scheme.toLowerCase());
}
