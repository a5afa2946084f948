// The site's settings, for the generator (https://vitepress.dev). scripts/site.ts has it read them from here.
import { TRANSLATIONS } from "./translations.ts";

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

export interface SitePages {
  /** The first heading of each page, by its path in the site. */
  readonly titles: Readonly<Record<string, string>>;
  /** The pages of the tasks, in the order of their list. */
  readonly tasks: readonly string[];
  /** The other pages of each kind, by their paths in the site. */
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
        options: { miniSearch: { options: { tokenize } }, locales: searchTexts() },
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
      ...Object.fromEntries(
        Object.entries(TRANSLATIONS).map(([tag, { label, site }]) => {
          const has = (page: string) => page in titles;
          const own = Object.keys(titles).filter((page) => page.startsWith(`${tag}/`));
          const isTask = (page: string) => page.startsWith(`${tag}/tasks/`) || page === `${tag}/index`;
          const sidebar = [
            group(site.tasks, tasks.map((page) => `${tag}/${page}`).filter(has)),
            group(
              site.otherPages,
              own.filter((page) => !isTask(page)),
            ),
          ];
          const nav = [{ text: site.tasks, link: has(`${tag}/tasks/index`) ? `/${tag}/tasks/` : "/tasks/" }];
          return [
            tag,
            { label, lang: tag, themeConfig: { nav, sidebar, ...(site.theme === "english" ? {} : site.theme) } },
          ];
        }),
      ),
    },
  };
}

/** The texts of the search in each language that has some. */
function searchTexts() {
  return Object.fromEntries(
    Object.entries(TRANSLATIONS).flatMap(([tag, { site }]) =>
      site.search === "english" ? [] : [[tag, { translations: site.search }]],
    ),
  );
}
