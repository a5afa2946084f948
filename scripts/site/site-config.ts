// The site's settings, for the generator (https://vitepress.dev). scripts/site.ts has it read them from here.

const TASKS = [
  "quick-start",
  "change-proxy-image",
  "exclude-a-port",
  "sidecar-for-a-namespace",
  "add-a-sidecar",
  "why-not-injected",
  "canary-release",
  "deploy-and-register",
  "move-from-istio",
  "move-from-app-mesh",
  "take-over",
  "try-on-kind",
  "pipeline",
];
const REFERENCE = [
  "cli",
  "configuration",
  "templates",
  "helpers",
  "mistakes",
  "inject",
  "import",
  "testing-templates",
  "studio",
  "check",
  "parameter-store",
];
const RUNNING = ["deploy", "register", "editing", "operations", "faults", "scale", "cost", "threat-model"];
const EXPLANATION = [
  "architecture",
  "from-template-to-patch",
  "lambda",
  "publishing",
  "serving",
  "differences",
  "istio-releases",
  "glossary",
  "dependencies",
  "development",
];

/** Words of Chinese text; others are split at what is no letter. */
const tokenize = (text: string) =>
  [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);

/** @param titles the first heading of each page, by its path in the site */
export function siteConfig(titles: Readonly<Record<string, string>>) {
  const item = (page: string) => ({ text: titles[page] ?? page, link: `/${page}` });
  const group = (text: string, names: readonly string[]) => ({ text, items: names.map(item) });
  return {
    title: "Outrigger",
    description: "Istio-grade sidecar injection for EKS, served by a Lambda",
    cleanUrls: true,
    // A page that links to nothing fails the build.
    ignoreDeadLinks: false,
    markdown: { languageAlias: { logs: "txt" } },
    head: [["link", { rel: "icon", href: "data:," }]],
    themeConfig: { search: { provider: "local", options: { miniSearch: { options: { tokenize } } } }, outline: "deep" },
    locales: {
      root: {
        label: "English",
        lang: "en",
        themeConfig: {
          nav: [
            { text: "Tasks", link: "/tasks/" },
            { text: "Command line", link: "/cli" },
          ],
          sidebar: [
            group(
              "Tasks",
              TASKS.map((name) => `tasks/${name}`),
            ),
            group("Reference", REFERENCE),
            group("Running it", RUNNING),
            group("How it works", EXPLANATION),
          ],
        },
      },
      "zh-CN": {
        label: "中文",
        lang: "zh-CN",
        themeConfig: {
          nav: [{ text: "任务", link: "/zh-CN/tasks/" }],
          sidebar: [
            group(
              "任务",
              TASKS.map((name) => `zh-CN/tasks/${name}`),
            ),
          ],
          outline: { level: "deep", label: "本页内容" },
          docFooter: { prev: "上一页", next: "下一页" },
          darkModeSwitchLabel: "主题",
          sidebarMenuLabel: "菜单",
          returnToTopLabel: "回到顶部",
        },
      },
    },
  };
}
