// Templates and configurations as other people write them: the tables that the tests of the import, and of the reference, go through.
import type { JsonObject } from "@outrigger/base";
import { readTable } from "../../tools/support/read-table.ts";

export interface CustomTemplate {
  readonly name: string;
  readonly template: string;
  /** Part of the finding where it has no translation. */
  readonly refused?: string;
  /** The way in which the import differs from the reference on purpose. */
  readonly differs?: string;
}

export interface PublicTemplate extends CustomTemplate {
  /** The place in which the construct is in use. */
  readonly from: string;
}

export interface PublicConfiguration {
  readonly name: string;
  readonly text: string;
  /** The contents of `config.yaml`. */
  readonly config?: JsonObject;
  readonly mesh?: JsonObject;
  /** Part of the values. */
  readonly values?: JsonObject;
  /** Paths of the tree besides config, mesh and values. */
  readonly paths?: readonly string[];
  /** Part of each finding, in order; notes are left out. */
  readonly findings?: readonly string[];
}

const TEMPLATE = { name: "text", template: "text", refused: "text?", differs: "text?" } as const;

export const CUSTOM_TEMPLATES = readTable<readonly CustomTemplate[]>("test/import/custom-templates.yaml", TEMPLATE);
export const PUBLIC_TEMPLATES = readTable<readonly PublicTemplate[]>("test/import/public-templates.yaml", {
  ...TEMPLATE,
  from: "text",
});
export const PUBLIC_CONFIGURATIONS = readTable<readonly PublicConfiguration[]>(
  "test/import/public-configurations.yaml",
  {
    name: "text",
    text: "text",
    config: "object?",
    mesh: "object?",
    values: "object?",
    paths: "list?",
    findings: "list?",
  },
);
