// The kind of each page and who needs it, as the page says itself below its title:
// *Task, for template authors.*

/** Kind → its name in Chinese. */
export const KINDS = { Task: "任务", Explanation: "说明", Reference: "参考", Runbook: "运维手册" } as const;

/** Who needs a page → the same in Chinese. */
const READERS: Readonly<Record<string, string>> = {
  everyone: "所有读者",
  newcomers: "初次使用者",
  evaluators: "选择注入器的人",
  "workload owners": "工作负载的负责人",
  "template authors": "模板作者",
  "those who publish": "发布者",
  "deployment operators": "部署的运维人员",
  "cluster operators": "集群的运维人员",
  "people on call": "值班人员",
  "security reviewers": "安全审查人员",
  contributors: "贡献者",
};

export type Kind = keyof typeof KINDS;

/** What the line below the title says; undefined if there is no such line, or a word of it is not known. */
export function kindOf(text: string): { readonly kind: Kind; readonly reader: string } | undefined {
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
