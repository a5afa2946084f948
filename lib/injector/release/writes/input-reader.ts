// What the texts of a tree read of values and of the mesh. It may say that something is read that is not, and never the reverse.
import { usedValues } from "@outrigger/template";
import type { Release } from "../load-release.ts";
import type { SourceTree } from "../source-tree.ts";

/** Roots that the injection makes of values. */
const IMAGES = /\bproxy(?:Init)?Image\b/;

/** Whether a text of the tree may write the proxy's images. */
export function readsImages(tree: SourceTree): boolean {
  return ownTexts(tree).some(([, text]) => IMAGES.test(text));
}

function ownTexts(tree: SourceTree) {
  return Object.entries(tree).filter(([path]) => /^(?:templates|partials)\//.test(path));
}

/**
 * Returns the function that says whether a text of the tree reads an input, or may do so.
 *
 * @returns a function of a path such as `values.global.tag` or `mesh.defaultConfig.concurrency`
 */
export function inputReader({ templates }: Release, tree: SourceTree): (path: string) => boolean {
  const own = ownTexts(tree);
  if (own.length === 0) return () => false;
  const text = own.map(([, each]) => each).join("\n");
  const readsTag = readsImages(tree);
  const readsAny = /@root|\bvalues\b(?!\.)|\bthis\b/.test(text);
  const readsMesh = /\b(?:meshConfig|proxyConfig)\b/.test(text);
  const ownOf = (folder: "templates" | "partials") =>
    Object.fromEntries(Object.entries(templates[folder]).filter(([name]) => tree[`${folder}/${name}`] !== undefined));
  const used = usedValues({ ...templates, templates: ownOf("templates"), partials: ownOf("partials") });
  return (path) => {
    if (readsAny) return true;
    const [root, ...steps] = path.split(".");
    if (root === "mesh") return readsMesh;
    if (readsTag && path === "values.global.tag") return true;
    return used.some((names) => names.every((name, at) => at >= steps.length || name === steps[at]));
  };
}
