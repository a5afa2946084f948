// The face of @outrigger/import: what other packages and other people may use. Everything else is internal.
export { compareInjected, type InjectedDifference } from "./compare-injected.ts";
export { importDocuments, type Registration } from "./documents/import-documents.ts";
export type { ImportFinding, ImportSource } from "./documents/read-documents.ts";
export { importTemplate } from "./templates/import-template.ts";
