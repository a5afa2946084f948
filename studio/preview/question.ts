// What the page asks the workers, and what they answer. Plain data: it crosses a message channel.

import type { JsonObject, JsonValue } from "@outrigger/base";
import type { EffectGroup, InjectRequest, Release, SourceTree, TreeFinding, traceInjection } from "@outrigger/injector";
import type { meshFields } from "@outrigger/mesh";
import type { ChangeNode } from "./change-tree.ts";
import type { SentNode } from "./sent-tree.ts";

export type PodChoice =
  | { readonly kind: "sample"; readonly name: string }
  /** A manifest that the user brought; `index` counts the pods in it. */
  | { readonly kind: "manifest"; readonly text: string; readonly index: number }
  | { readonly kind: "workload"; readonly workload: ClusterWorkload };

/** The name of a pod of the manifest that the user brought begins with this. */
export const MANIFEST_NAME = "the manifest";

/** Two layers: the shipped tree, and the user's own with its unsaved edits. */
export interface Trees {
  readonly shipped: SourceTree;
  readonly own: SourceTree;
}

export interface Chosen extends Trees {
  readonly pod: PodChoice;
  /** In which the pod is tried, in place of its own; empty: its own, or `default`. */
  readonly namespace: string;
}

export interface PreviewQuestion extends Chosen {
  readonly kind: "preview";
  /** The pod as another tree makes it; undefined until it is known. */
  readonly against: Against | undefined;
}

/** What a pod is compared with besides itself. */
export interface Against {
  /** The number of this comparison: another comparison has another number. */
  readonly number: number;
  /** YAML, or a comment that says why there is no injected pod. */
  readonly text: string;
}

/** Names what a preview is of: two questions with the same key are about the same pod. */
export function previewKey({ pod, namespace }: Omit<Chosen, keyof Trees>): string {
  return JSON.stringify([pod, namespace]);
}

/** @typeParam Node as the page shows it, or as it is sent */
export interface PreviewAnswer<Node = ChangeNode> {
  /** previewKey() of the question. */
  readonly key: string;
  /** Findings of the templates, values and configuration. Those of trying the samples come with the examination. */
  readonly findings: readonly TreeFinding[];
  /** Undefined if the tree has errors: the last good preview stays. */
  readonly outcome: Outcome<Node> | undefined;
}

export type Outcome<Node = ChangeNode> = {
  /** The number of pods to choose from. */
  readonly pods: number;
  /** The namespace that the pod is tried in; empty where there is no pod. */
  readonly namespace: string;
  /** The pod as it was, as YAML. */
  readonly before: string;
  readonly changes: readonly Node[];
  /** What differs from what it is compared with besides; empty where that is nothing. */
  readonly edits: readonly Node[];
  /** The number of that comparison. */
  readonly against: number | undefined;
} & Decided;

export type Decided =
  | {
      readonly decision: "injected";
      readonly reason: string;
      /** The label by which pods ask. */
      readonly label: string;
      readonly templates: readonly string[];
      readonly warnings: readonly string[];
      /** The injected pod, as YAML. */
      readonly after: string;
    }
  | {
      readonly decision: "skipped";
      readonly reason: string;
      readonly label: string;
      readonly message: string;
      readonly warnings: readonly string[];
    }
  | { readonly decision: "refused"; readonly reason: string; readonly message: string };

/** A question for the origins of the injected pod's lines, or for the values that they depend on. */
export interface LinesQuestion extends Chosen {
  readonly kind: "trace" | "values";
}

/** A value, and the entry that sets it. */
export interface ValueOrigin {
  /** `global.hub` */
  readonly name: string;
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly isShipped: boolean;
}

/** The origin of a line: the pod's author, a line of a template or partial, or a step of the injection. */
export type LineOrigin = NonNullable<ReturnType<typeof traceInjection>>["lines"][number]["origin"];

/** The pod as another tree or release makes it: what the preview is compared with. */
export interface BaselineQuestion extends Chosen {
  readonly kind: "baseline";
  /** Undefined: the tree as it is saved. */
  readonly release: Release | undefined;
  readonly saved: SourceTree;
}

export interface ExamineQuestion extends Trees {
  readonly kind: "examine";
  /** The user's own tree as it is saved: what the impact is measured from. */
  readonly saved: SourceTree;
  /** The pods that the user brought: the impact is measured on them and on the samples of the trees. */
  readonly manifests: readonly string[];
}

export interface ExamineAnswer {
  readonly findings: readonly TreeFinding[];
  /** Undefined if one of the two trees has errors. */
  readonly impact: Impact | undefined;
  /** What templates may name; undefined if the tree has errors. */
  readonly names: TemplateNames | undefined;
  /** Of the samples; undefined if the tree has errors. */
  readonly reach: Reach | undefined;
}

/** How many pods there are, and how many of them get each template; one that none gets is left out. */
export interface Reach {
  readonly pods: number;
  readonly templates: Readonly<Record<string, number>>;
}

/** A question about the workloads of a cluster, of which there may be many: it is asked when the user rests. */
export interface FleetQuestion extends Omit<ExamineQuestion, "kind" | "manifests"> {
  readonly kind: "fleet";
  readonly workloads: readonly ClusterWorkload[];
}

export interface FleetAnswer {
  /** The impact on the pods that run; undefined if one of the two trees has errors. */
  readonly impact: Impact | undefined;
  /** Undefined if the tree has errors. */
  readonly branches: readonly BranchCount[] | undefined;
  /** Of the pods that run; undefined if the tree has errors. */
  readonly reach: Reach | undefined;
}

/** A branch of a template or partial, and what takes it. */
export interface BranchCount {
  readonly path: string;
  /** The place of its block: 1-based. */
  readonly line: number;
  readonly column: number;
  /** Whether what is in the block is written: false for the branch that passes it over. */
  readonly isWritten: boolean;
  readonly samples: number;
  /** The workloads with pods that run, and these pods. */
  readonly workloads: number;
  readonly pods: number;
  /** Names one of the workloads. */
  readonly example?: string;
}

/** What a channel's move changes: both releases as they are stored, not as this version would compile their texts. */
export interface CompareQuestion extends Trees {
  readonly kind: "compare";
  readonly manifests: readonly string[];
  readonly workloads: readonly ClusterWorkload[];
  readonly before: Release;
  /** Undefined: what the trees make. */
  readonly after: Release | undefined;
}

export interface CompareAnswer {
  readonly impact: Impact;
  /** The impact on the pods that run in the cluster; undefined without a cluster. */
  readonly clusterImpact: Impact | undefined;
}

/** Names to complete in templates. */
export interface TemplateNames {
  /** `values.global.hub`, `meshConfig.defaultConfig.concurrency`. */
  readonly paths: readonly string[];
  readonly values: readonly KnownValue[];
  /** What each value may be, as a JSON Schema. */
  readonly schema: JsonObject;
  /** What the fields of the mesh may be, below each path: the page itself has no table of them. */
  readonly mesh: ReturnType<typeof meshFields>;
}

export interface KnownValue extends ValueOrigin {
  /** The field's value as YAML writes it on one line. */
  readonly text: string;
}

/** What an edit changes, grouped by identical change. */
export interface Impact {
  /** The number of pods that do not change. */
  readonly unchanged: number;
  /** The gravest first. */
  readonly changes: readonly Change[];
}

export interface Change extends Pick<EffectGroup, "effect" | "containers" | "why" | "pods"> {
  /** The samples or workloads that change in this way: those with the most pods first. */
  readonly names: readonly string[];
  /** The first of them, as YAML. */
  readonly before: string;
  readonly after: string;
  /** changeKey() of each field that differs. */
  readonly fields: readonly string[];
}

/** A config, and the list of default templates that it is to have. */
export interface ConfigQuestion {
  readonly kind: "config";
  readonly text: string;
  readonly defaultTemplates: readonly JsonValue[];
}

export type Question =
  | PreviewQuestion
  | LinesQuestion
  | BaselineQuestion
  | ExamineQuestion
  | FleetQuestion
  | CompareQuestion
  | ConfigQuestion;
export type Kind = Question["kind"];

/** The answer to each kind of question. */
export interface Answers {
  readonly preview: PreviewAnswer<SentNode>;
  readonly trace: {
    /** The injected pod that the origins are of; empty if there is none. */
    readonly text: string;
    /** One for each line. */
    readonly origins: readonly LineOrigin[];
  };
  readonly values: {
    /** The injected pod that the lines are of; empty if there is none. */
    readonly text: string;
    /** The lines that depend on a value, and no others: 1-based. */
    readonly lines: readonly (readonly [line: number, origins: readonly ValueOrigin[]])[];
  };
  /** The `text` of Against. */
  readonly baseline: string;
  readonly examine: ExamineAnswer;
  readonly fleet: FleetAnswer;
  readonly compare: CompareAnswer;
  /** Undefined where the text cannot be edited. */
  readonly config: { readonly text: string | undefined };
}

export type Answer = Answers[Kind];

/** A workload of a cluster, read only: `GET /api/workloads`. */
export interface ClusterWorkload {
  /** `Deployment web` */
  readonly name: string;
  readonly namespace: string;
  /** The number of the workload's pods that run. */
  readonly pods: number;
  /** Whether a webhook of the cluster sends its pods. */
  readonly isSent: boolean;
  /** `{metadata, spec}` of its pods. */
  readonly pod: JsonObject;
  readonly owner: NonNullable<InjectRequest["owner"]>;
  /** The parameters in the URL that the webhook is called by. */
  readonly parameters: Readonly<Record<string, string>>;
}
