/**
 * The second door of the room, for packages that read and write files of the configuration. It is loaded with them: the
 * first one is loaded by every start.
 */
export {
  decode,
  parseFileData,
  readBytes,
  readData,
  removeFromText,
  setInText,
} from "./edit/edit-file.ts";
export {
  addServerEntry,
  putServerEntry,
  readServerEntries,
  removeServerEntry,
} from "./edit/server-entries.ts";
export { valueAt } from "./edit/text-format.ts";
export { followLinks, withLock, writeAtomically } from "./edit/write-file.ts";
export type { Environment } from "./environment.ts";
export { addedFormats } from "./extensions/added-kinds.ts";
export type { AddingPorts } from "./import-package.ts";
export { lastingProgram } from "./lasting-program.ts";
export { readServerEntry } from "./load-config.ts";
export { noConfigFound, projectFiles, userFiles } from "./locations.ts";
export { gatewayConfigFiles, isOurselves, ownName } from "./own-entry.ts";
export type { FoundServers } from "./read-source.ts";
export { isKeyLike, maskSecrets } from "./secrets/mask.ts";
export { readKeychain, splitCommand, writeKeychain } from "./secrets/read-secret.ts";
export {
  expandEnvironment,
  findReferences,
  mapTexts,
  type Reference,
  splitReferences,
} from "./secrets/references.ts";
export { resolveSecrets } from "./secrets/resolve-secrets.ts";
export { newFile, type SetupPlace } from "./setup-place.ts";
export { isConfiguredByVariables } from "./shapes/environment-settings.ts";
export { startDirectory, withPlaces } from "./start-place.ts";
export { documentFormats } from "./text/document.ts";
export { parseYaml } from "./text/parse-yaml.ts";
export { parseJson } from "./text/read-document.ts";
