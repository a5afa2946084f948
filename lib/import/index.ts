// The face of @outrigger/import: what other packages and other people may use. Everything else is internal.
export { compareInjected, type InjectedDifference } from "./compare-injected.ts";
export { importDocuments } from "./import-documents.ts";
export type { ImportFinding } from "./import-finding.ts";
export { importTemplate } from "./import-template.ts";
export type { ImportSource } from "./read-documents.ts";
export { moveLabels } from "./top-level-labels.ts";
