// The kind of each page, who needs it, and for whom its words count. A page says the first two itself, below its title:
// *Task, for template authors.*

/** Kind → its name in Chinese. */
export const KINDS = { Task: "任务", Explanation: "说明", Reference: "参考", Runbook: "运维手册" } as const;

/** Who needs a page → the same in Chinese. */
export const READERS: Readonly<Record<string, string>> = {
  "everyone who reads these pages": "所有读者",
  newcomers: "初次使用者",
  "those who choose an injector": "选择注入器的人",
  "owners of workloads": "工作负载的负责人",
  "template authors": "模板作者",
  "those who publish": "发布者",
  "operators of a deployment": "部署的运维人员",
  "operators of a cluster": "集群的运维人员",
  "people on call": "值班人员",
  "security reviewers": "安全审查人员",
  contributors: "贡献者",
};

export type Kind = keyof typeof KINDS;

export interface PageKind {
  readonly kind: Kind;
  readonly reader: string;
}

/** What the line below the title says; undefined if there is no such line, or a word of it is not known. */
export function kindOf(text: string): PageKind | undefined {
  const [, english, reader = "", chineseReader = "", chinese] =
    /^# .*\n+(?:<!--.*-->\n+)?\*(?:(\w+), for (.+)\.|供(.+)阅读的(.+)。)\*$/m.exec(text) ?? [];
  for (const kind of Object.keys(KINDS) as Kind[]) {
    if (kind === english && reader in READERS) return { kind, reader };
    const [known] = Object.entries(READERS).find(([, name]) => name === chineseReader) ?? [];
    if (KINDS[kind] === chinese && known !== undefined) return { kind, reader: known };
  }
  return undefined;
}

/** The group of a page in a list of all pages, by kind; that of a task, of a translation and of a file without a kind is undefined. */
export function groupOf(page: string, text: string): string | undefined {
  if (/^docs\/(tasks\/(?!README)|zh-CN\/)/.test(page)) return undefined;
  if (/^docs\/contributing\//.test(page)) return "Contributing";
  const kind = kindOf(text)?.kind;
  return kind && GROUPS[kind];
}

const GROUPS: Readonly<Record<Kind, string>> = {
  Task: "More tasks",
  Explanation: "Explanations",
  Reference: "Reference",
  Runbook: "Runbooks",
};

/** Who a page is written for; `generated` is written by the code. */
export type PageClass = "users" | "generated" | "contributors" | "translated";

export interface PageWords {
  readonly page: string;
  readonly of: PageClass;
  readonly words: number;
}

/** As `wc -w` counts them. Tables that the code writes into a page of another class count as generated. */
export function wordsOf(page: string, text: string): readonly PageWords[] {
  const of = classOf(page, text);
  const [own, rows] = [text.replaceAll(ROWS, ""), (text.match(ROWS) ?? []).join(" ")];
  const parts: readonly PageWords[] = [
    { page, of, words: count(own) },
    { page, of: of === "users" ? "generated" : of, words: count(rows) },
  ];
  return parts.filter(({ words }) => words > 0);
}

const ROWS = /<!-- rows: [^\n]*-->[\s\S]*?<!-- \/rows -->/g;

function classOf(page: string, text: string): PageClass {
  if (page.includes("zh-CN")) return "translated";
  if (/^(docs\/contributing\/|CONTRIBUTING)/.test(page)) return "contributors";
  return /^# .*\n+<!-- Made /m.test(text) ? "generated" : "users";
}

function count(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}
