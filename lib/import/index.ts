// The face of @outrigger/import: what other packages and other people may use. Everything else is internal.
export { compareInjected, type InjectedDifference } from "./compare-injected.ts";
export { importDocuments } from "./documents/import-documents.ts";
export type { ImportSource } from "./documents/read-documents.ts";
export type { Registration } from "./documents/registration.ts";
export type { ImportFinding } from "./import-finding.ts";
export { importTemplate } from "./templates/import-template.ts";
