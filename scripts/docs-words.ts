// `npm run docs:words [-- pages]`: the words of all pages by who they are written for, and with `pages` each page's.
import { pages, textOf } from "../test/pages/code-blocks.ts";
import { type PageClass, wordsOf } from "./site/page-kinds.ts";

const counted = pages().flatMap((page) => wordsOf(page, textOf(page)));
const classes: readonly PageClass[] = ["users", "generated", "contributors", "translated"];
for (const each of classes) {
  const own = counted.filter(({ of }) => of === each);
  const sum = own.reduce((total, { words }) => total + words, 0);
  console.log(`${each.padEnd(13)}${`${sum}`.padStart(7)} words in ${own.length} pages`);
  if (process.argv.includes("pages"))
    for (const { page, words } of own.toSorted((a, b) => b.words - a.words))
      console.log(`  ${`${words}`.padStart(7)} ${page}`);
}
