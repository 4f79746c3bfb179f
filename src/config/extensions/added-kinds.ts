import type { Extension, FileFormat } from "../../model/extensions/extension.ts";

/**
 * Names that extensions have added to what a configuration may say. Names only, for the whole process: how such a secret
 * is read and such an address is opened is known to each plane.
 */
const addedKinds = {
  secrets: new Set<string>(),
  providers: new Set<string>(),
  schemes: new Set<string>(),
  formats: new Map<string, FileFormat>(),
};

export const addedSecrets: ReadonlySet<string> = addedKinds.secrets;

export const addedProviders: ReadonlySet<string> = addedKinds.providers;

export const isAddedScheme = (scheme: string): boolean =>
  addedKinds.schemes.has(scheme.toLowerCase());

export const addedFormats = (): FileFormat[] => [...addedKinds.formats.values()];

export function addKinds({
  secrets = [],
  providers = [],
  transports = [],
  formats = [],
}: Extension): void {
  for (const format of formats) addedKinds.formats.set(format.name, format);
  for (const kind of secrets) addedKinds.secrets.add(kind);
  for (const kind of providers) addedKinds.providers.add(kind);
  for (const scheme of transports) addedKinds.schemes.add(scheme.toLowerCase());
}
