export { findToolReferences, indexNames } from "./references.ts";
export { scanDefinition, scanVersion } from "./scan-definition.ts";
