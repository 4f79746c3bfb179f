export { findToolReferences, indexNames } from "./references.ts";
export { scanDefinition, scanInSlices, scanVersion } from "./scan-definition.ts";
