// Searches the built site as its search box does: the same index, read with the same library and the same settings.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { QUESTIONS } from "./questions.ts";
import { tokenize } from "./site-config.ts";
import { TASK_SEARCHES } from "./task-searches.ts";

/** The pages that a reader sees without scrolling, and those of a question that a reader has to look at. */
const SHOWN = 5;
const SHOWN_FOR_QUESTION = 3;

interface SearchIndex {
  search(query: string): readonly { readonly id: string }[];
}

interface SearchLibrary {
  loadJSON(text: string, options: object): SearchIndex;
}

/** What the generator's search box uses, besides the settings of the site. */
const OPTIONS = {
  fields: ["title", "titles", "text"],
  storeFields: ["title", "titles"],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
  tokenize,
};

export interface SearchResult {
  readonly query: string;
  readonly page: string;
  readonly isFound: boolean;
  /** The pages shown, best first. */
  readonly shown: readonly string[];
}

/** A built site, and the node_modules of its generator. */
export interface BuiltSite {
  readonly site: string;
  readonly modules: string;
}

export async function searchTasks(built: BuiltSite): Promise<readonly SearchResult[]> {
  const results = (["root", "zh-CN"] as const).map(async (locale) => {
    const index = await indexOf(built, locale);
    return Object.entries(TASK_SEARCHES).flatMap(([task, searches]) =>
      searches[locale].map((query) =>
        searched(index, { query, page: `${locale === "root" ? "" : `/${locale}`}/tasks/${task}`, most: SHOWN }),
      ),
    );
  });
  return (await Promise.all(results)).flat();
}

/** In the order of the questions. */
export async function searchQuestions(built: BuiltSite): Promise<readonly SearchResult[]> {
  const index = await indexOf(built, "root");
  return QUESTIONS.map(({ search, answer }) =>
    searched(index, { query: search, page: `/${answer.replace(/\.md(#.*)?$/, "")}`, most: SHOWN_FOR_QUESTION }),
  );
}

interface Search {
  readonly query: string;
  readonly page: string;
  readonly most: number;
}

function searched(index: SearchIndex, { query, page, most }: Search): SearchResult {
  const pages = [...new Set(index.search(query).map(({ id }) => id.replace(/#.*/, "")))];
  const shown = pages.slice(0, most);
  return { query, page, isFound: shown.includes(page), shown };
}

async function indexOf({ site, modules }: BuiltSite, locale: string): Promise<SearchIndex> {
  const library = pathToFileURL(join(modules, "minisearch/dist/es/index.js")).href;
  const { default: MiniSearch }: { default: SearchLibrary } = await import(library);
  return MiniSearch.loadJSON(await indexText(site, locale), OPTIONS);
}

async function indexText(site: string, locale: string): Promise<string> {
  const folder = join(site, "assets/chunks");
  const file = readdirSync(folder).find((name) => name.startsWith(`@localSearchIndex${locale}.`));
  if (file === undefined) throw new Error(`Cannot find the search index of ${locale} in ${folder}`);
  const { default: text }: { default: string } = await import(pathToFileURL(join(folder, file)).href);
  return text;
}
