import { describe, expect, it } from "vitest";
import { changeTree } from "./change-tree.ts";
import { receivedTree, sentTree } from "./sent-tree.ts";

const AUTHOR = "metadata:\n  name: a\nspec:\n  containers:\n  - name: web\n    image: web:1\n";

function injected(image: string, more = ""): string {
  return `metadata:\n  name: a\nspec:\n  containers:\n  - name: web\n    image: web:1\n${more}  - name: proxy\n    image: ${image}\n    env:\n    - name: A\n      value: a\n`;
}

describe("sentTree() and receivedTree()", () => {
  it.each([
    ["one value", injected("p:2")],
    ["nothing", injected("p:1")],
    ["the lines of what follows", injected("p:1", "    env:\n    - name: B\n      value: b\n")],
    ["everything", "metadata:\n  name: b\n"],
  ])("give the tree when %s differs", (_, after) => {
    const before = changeTree(AUTHOR, injected("p:1"));
    const tree = changeTree(AUTHOR, after);
    expect(receivedTree(before, sentTree(before, tree))).toEqual(tree);
  });

  it("send, and make, only what differs", () => {
    const before = changeTree(AUTHOR, injected("p:1"));
    const tree = changeTree(AUTHOR, injected("p:2"));
    const sent = sentTree(before, tree);
    expect(JSON.stringify(sent)).not.toContain('"web"');
    const proxy = (nodes: typeof tree) => nodes[0]?.children[0]?.children[1];
    expect(proxy(before)?.children.map(({ label }) => label)).toEqual(["name", "image", "env"]);
    const now = proxy(receivedTree(before, sent));
    expect(now?.children.map((child, at) => child === proxy(before)?.children[at])).toEqual([true, false, true]);
  });

  it("keep two nodes with one name apart", () => {
    const one = changeTree("", "a:\n  b: 1\na/b: 2\n");
    const other = changeTree("", "a:\n  b: 2\na/b: 2\n");
    expect(receivedTree(one, sentTree(one, other))).toEqual(other);
    expect(receivedTree(one, sentTree(one, one))).toEqual(one);
  });
});
