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

/** A form in which charts write values, and what Helm renders of it. */
export interface HelmForm {
  readonly name: string;
  readonly template: string;
  /** What Helm renders, as data. */
  readonly gives?: JsonObject;
  /** Part of the error where the form has no translation. */
  readonly refused?: string;
  /** Part of the warning where Istio's injector renders something else. */
  readonly warned?: string;
  /** False where Istio's injector gives that, and Helm does not. */
  readonly helm?: false;
}

export const HELM_FORMS = readTable<readonly HelmForm[]>("test/import/helm-forms.yaml", {
  name: "text",
  template: "text",
  gives: "object?",
  refused: "text?",
  warned: "text?",
  helm: "boolean?",
});

/** The values that the forms read. */
export const HELM_VALUES: JsonObject = {
  resources: { limits: { cpu: "1", memory: "64Mi" }, requests: { cpu: "100m" } },
  securityContext: { enabled: true, runAsUser: 1000, readOnlyRootFilesystem: true },
  nodeSelector: { disk: "ssd", zone: "a" },
  tolerations: [
    { key: "a", operator: "Exists" },
    { key: "b", operator: "Exists" },
  ],
  podAnnotations: { a: "1", b: "two" },
  env: [
    { name: "A", value: "1" },
    { name: "B", value: "2" },
  ],
  envMap: { A: "1", B: "2" },
  args: ["--a", "--b=c"],
  image: { repository: "r/x", tag: "1", pullPolicy: "Always" },
  team: "shop",
  cpu: "2",
  enabled: true,
  port: 8080,
  script: "a\nb\n",
  yamlText: "a: b\nc: d\n",
  none: null,
};
