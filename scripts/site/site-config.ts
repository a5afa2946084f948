// The site's settings, for the generator (https://vitepress.dev). scripts/site.ts has it read them from here.

/** Words of Chinese text; others are split at what is no letter. */
export const tokenize = (text: string) =>
  [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);

/** The part of the generator's Markdown parser that is changed. */
interface MarkdownParser {
  readonly renderer: { readonly rules: Record<string, (tokens: readonly { content: string }[], at: number) => string> };
  readonly utils: { escapeHtml(text: string): string };
}

const CHINESE_SEARCH = {
  button: { buttonText: "搜索", buttonAriaLabel: "搜索" },
  modal: {
    displayDetails: "显示详细列表",
    resetButtonTitle: "清除搜索",
    backButtonTitle: "关闭搜索",
    noResultsText: "没有找到",
    footer: {
      selectText: "打开",
      selectKeyAriaLabel: "回车键",
      navigateText: "移动",
      navigateUpKeyAriaLabel: "向上键",
      navigateDownKeyAriaLabel: "向下键",
      closeText: "关闭",
      closeKeyAriaLabel: "Esc 键",
    },
  },
};

export interface SitePages {
  /** The first heading of each page, by its path in the site. */
  readonly titles: Readonly<Record<string, string>>;
  /** The pages of the tasks, in the order of their list. */
  readonly tasks: readonly string[];
  /** Kind → its other pages, by their paths in the site. */
  readonly kinds: Readonly<Record<string, readonly string[]>>;
}

export function siteConfig({ titles, tasks, kinds }: SitePages) {
  const item = (page: string) => ({ text: titles[page] ?? page, link: `/${page.replace(/(^|\/)index$/, "$1")}` });
  const group = (text: string, names: readonly string[]) => ({ text, items: names.map(item) });
  return {
    title: "Outrigger",
    description: "Istio-grade sidecar injection for EKS, served by a Lambda",
    cleanUrls: true,
    // A page that links to nothing fails the build.
    ignoreDeadLinks: false,
    markdown: {
      languageAlias: { logs: "log" },
      // Braces in inline code are text, and nothing that the generator evaluates.
      config: ({ renderer, utils }: MarkdownParser) => {
        renderer.rules["code_inline"] = (tokens, at) =>
          `<code v-pre>${utils.escapeHtml(tokens[at]?.content ?? "")}</code>`;
      },
    },
    head: [
      ["link", { rel: "icon", href: "data:," }],
      // A line that is longer than the page is broken where it is shown, and copied as it is.
      [
        "style",
        {},
        ".vp-doc pre code { width: auto !important; white-space: pre-wrap !important; overflow-wrap: anywhere !important }",
      ],
    ],
    themeConfig: {
      search: {
        provider: "local",
        options: { miniSearch: { options: { tokenize } }, locales: { "zh-CN": { translations: CHINESE_SEARCH } } },
      },
      outline: "deep",
    },
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
            group("Tasks", tasks),
            ...Object.entries(kinds).map(([kind, pages]) => group(kind, pages)),
            group(
              "Packages",
              Object.keys(titles).filter((page) => page.startsWith("packages/")),
            ),
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
              tasks.map((page) => `zh-CN/${page}`).filter((page) => page in titles),
            ),
            group(
              "参考与运维手册",
              Object.keys(titles).filter((page) => /^zh-CN\/(?!tasks\/|index$)/.test(page)),
            ),
          ],
          outline: { level: "deep", label: "本页内容" },
          docFooter: { prev: "上一页", next: "下一页" },
          darkModeSwitchLabel: "主题",
          lightModeSwitchTitle: "切换到浅色主题",
          darkModeSwitchTitle: "切换到深色主题",
          langMenuLabel: "切换语言",
          skipToContentLabel: "跳到正文",
          notFound: {
            title: "找不到页面",
            quote: "这个地址没有页面。",
            linkLabel: "回到首页",
            linkText: "回到首页",
          },
          sidebarMenuLabel: "菜单",
          returnToTopLabel: "回到顶部",
        },
      },
    },
  };
}
