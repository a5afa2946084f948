// Makes the pages of typical mistakes: docs/mistakes.md finds one by what lint says, in each language, and docs/mistakes/ shows it. UPDATE_GOLDEN=1
// writes them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SourceTree } from "@outrigger/injector";
import { lintSource } from "@outrigger/injector";
import { readSourceTree } from "@outrigger/publisher";
import { beforeAll, describe, expect, it } from "vitest";
import { MISTAKES, type Mistake } from "../../test/cli/typical-mistakes.ts";
import { describeFindings } from "../diagnose/lint-report.ts";
import { assertRendered } from "../manifests/read-input.ts";
import { describeError } from "../terminal/describe-error.ts";
import { sourceFile } from "../tree/source-files.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const MADE =
  "<!-- Made by cli/test/mistakes-page.test.ts: UPDATE_GOLDEN=1 npx vitest run --project unit cli/test/mistakes-page -->";

/** File → its title, and the sections that it shows. */
const PAGES: Readonly<Record<string, readonly [title: string, ...sections: readonly string[]]>> = {
  "syntax.md": ["Mistakes in the language", "Syntax that Helm and Istio use", "Templates that do not parse"],
  "pods.md": [
    "Mistakes in what a template makes",
    "Pods that an API server rejects",
    "Sidecars that do not work",
    "What would disappear",
  ],
  "settings.md": ["Mistakes around templates", "Values", "What does not agree", "Config and samples", "Manifests"],
};

const HELM = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n";

/** What a language says around the messages, which are the same in all. */
interface Words {
  readonly file: string;
  /** From the title to the list of messages. */
  readonly head: string;
  /** What follows a link to a page that is in English. */
  readonly mark: string;
  readonly sections: Readonly<Record<string, string>>;
}

const ENGLISH: Words = {
  file: "docs/mistakes.md",
  head: `# Typical mistakes, by what is said about them

${MADE}

*Reference, for template authors.*

| you see it | look here |
| --- | --- |
| from \`outrigger lint\`, \`test\` or \`publish\`, with a file, a line and a column | below: search this page for a few words of the message |
| from \`outrigger publish\`: "a person has to accept" | [what is held](releases.md#what-is-held) |
| from a command or in a log, with a code such as \`template-invalid\` | [errors](reference/errors.md) |
| in the events of a ReplicaSet: the webhook denied the pod | [denied](runbooks/injection.md#denied) |
| a pod has no sidecar, or not the one you expect | [why was my pod not injected?](tasks/why-not-injected.md) |
| a running pod has what an earlier release added | [running pods](running-pods.md) |

Each mistake is a file over the shipped tree, with the output of \`outrigger lint\`. One run finds all that does not depend on an error found. Names in a message are those of the
example.
`,
  mark: "",
  sections: {},
};

const CHINESE: Words = {
  file: "docs/zh-CN/mistakes.md",
  head: `# 典型错误：按提示信息查找

${MADE}

*供模板作者阅读的参考。*

| 你在哪里看到 | 看这里 |
| --- | --- |
| \`outrigger lint\`、\`test\` 或 \`publish\` 的输出，带有文件、行和列 | 下文：用信息中的几个词在本页搜索 |
| \`outrigger publish\` 的输出："a person has to accept" | [哪些修改要等人确认](../releases.md#what-is-held)（英文） |
| 命令的输出或日志，带有 \`template-invalid\` 这样的代码 | [错误](../reference/errors.md)（英文） |
| ReplicaSet 的事件：Webhook 拒绝了 Pod | [denied](runbooks/injection.md#denied) |
| Pod 没有 sidecar，或者不是你期望的那个 | [为什么我的 Pod 没有被注入？](tasks/why-not-injected.md) |
| 正在运行的 Pod 还带有以前的发布版本添加的内容 | [正在运行的 Pod](../running-pods.md)（英文） |

每个错误都是叠加在内置配置源上的一个文件，以及 \`outrigger lint\` 的输出。一次运行会找出所有不依赖于已发现错误的问题。信息中的名称是例子中的名称。
`,
  mark: "（英文）",
  sections: {
    "Syntax that Helm and Istio use": "Helm 和 Istio 的语法",
    "Templates that do not parse": "无法解析的模板",
    "Pods that an API server rejects": "API 服务器会拒绝的 Pod",
    "Sidecars that do not work": "不能工作的 sidecar",
    "What would disappear": "会消失的内容",
    Values: "参数",
    "What does not agree": "彼此不一致的内容",
    "Config and samples": "配置与示例",
    Manifests: "清单",
  },
};

/** A mistake as pages show it. */
interface Shown {
  readonly title: string;
  readonly text: string;
  /** What is said about it, as it is printed. */
  readonly said: string;
}

describe("docs/mistakes.md", { timeout: 120_000 }, () => {
  let sections: ReadonlyMap<string, readonly Shown[]>;
  beforeAll(async () => {
    const shipped = await readSourceTree(join(ROOT, "templates"));
    const found = MISTAKES.map(
      ([section, cases]) => [section, cases.map((one) => shownMistake(shipped, one))] as const,
    );
    const chart = { title: "A chart that is not rendered", text: HELM.trimEnd(), said: helmMessage() };
    sections = new Map([...found, ["Manifests", [chart]]]);
  });
  const sectionOf = (name: string) => sections.get(name) ?? [];

  it("has each section in one page, and each mistake in it", () => {
    const shown = Object.values(PAGES).flatMap(([, ...names]) => names);
    expect(shown).toEqual([...sections.keys()]);
    expect(Object.keys(CHINESE.sections)).toEqual(shown);
    expect([...sections.values()].flat().length).toBeGreaterThanOrEqual(30);
    expect(readdirSync(join(ROOT, "docs/mistakes")).toSorted()).toEqual(Object.keys(PAGES).toSorted());
  });

  it.each(Object.entries(PAGES))("docs/mistakes/%s is what lint says", (file, [title, ...names]) => {
    const head = `# ${title}\n\n${MADE}\n\n*Reference, for template authors.*\n\n[All mistakes, by what is said about them](../mistakes.md)\n`;
    const shown = names.map((name) => `## ${name}\n\n${sectionOf(name).map(pageOf).join("\n")}`);
    expectFile(`docs/mistakes/${file}`, [head, ...shown].join("\n"));
  });

  it.each([ENGLISH, CHINESE])("$file finds each by what is said about it", (words) => {
    const parts = Object.entries(PAGES).flatMap(([file, [, ...names]]) =>
      names.map((name) => `## ${words.sections[name] ?? name}\n\n${linksOf(words, file, sectionOf(name))}`),
    );
    expectFile(words.file, [words.head, ...parts].join("\n"));
  });

  function expectFile(path: string, text: string): void {
    const file = join(ROOT, path);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, text);
    expect(readFileSync(file, "utf8")).toBe(text);
  }
});

function shownMistake(shipped: SourceTree, [title, path, text]: Mistake): Shown {
  const { findings } = lintSource([shipped, { [path]: text }]);
  const said = describeFindings(findings).trimEnd();
  expect(said, title).not.toBe("");
  expect(said, title).toContain(`${sourceFile(path)}:`);
  return { title, text: `# ${sourceFile(path)}\n${text.trimEnd()}`, said };
}

function helmMessage(): string {
  try {
    assertRendered(HELM, "pod.yaml");
  } catch (error) {
    return describeError(error);
  }
  throw new Error("expected an error");
}

function pageOf({ title, text, said }: Shown): string {
  return `### ${title}\n\n\`\`\`\n${text}\n\`\`\`\n\n\`\`\`text\n${said}\n\`\`\`\n`;
}

function linksOf({ file, mark }: Words, page: string, shown: readonly Shown[]): string {
  const folder = file === ENGLISH.file ? "mistakes" : "../mistakes";
  const links = shown.map(({ title, said }) => `[\`${messageOf(said)}\`](${folder}/${page}#${anchorOf(title)})`);
  return links.map((link) => `- ${link}${mark}\n`).join("");
}

/** The first message, without its place: `templates/x.hbs:3:8: error: …`. */
function messageOf(said: string): string {
  const [first = ""] = said.split("\n");
  return first.replace(/^\S+: (?:error|warning): /, "");
}

/** The anchor that a heading has on GitHub. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}
