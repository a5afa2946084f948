import { describe, expect, it } from "vitest";
import { type ChangeNode, changeTree } from "./change-tree.ts";
import { createReceiver, createSender, type SentNode } from "./sent-tree.ts";

const AUTHOR = "metadata:\n  name: a\nspec:\n  containers:\n  - name: web\n    image: web:1\n";

function injected(image: string, more = ""): string {
  return `metadata:\n  name: a\nspec:\n  containers:\n  - name: web\n    image: web:1\n${more}  - name: proxy\n    image: ${image}\n    env:\n    - name: A\n      value: a\n`;
}

/** Two trees through one sender and one receiver: what is sent of the second, and both as they are received. */
function exchange(before: readonly ChangeNode[], tree: readonly ChangeNode[]) {
  const [send, receive] = [createSender(), createReceiver()];
  const first = receive(send(before));
  const sent: readonly SentNode[] = send(tree);
  return { first, sent, second: receive(sent), again: receive(send(tree)) };
}

describe("createSender() and createReceiver()", () => {
  it.each([
    ["one value", injected("p:2")],
    ["nothing", injected("p:1")],
    ["the lines of what follows", injected("p:1", "    env:\n    - name: B\n      value: b\n")],
    ["everything", "metadata:\n  name: b\n"],
  ])("give the tree when %s differs", (_, after) => {
    const before = changeTree(AUTHOR, injected("p:1"));
    const tree = changeTree(AUTHOR, after);
    expect(exchange(before, tree)).toMatchObject({ first: before, second: tree, again: tree });
  });

  it("send, and make, only what differs", () => {
    const before = changeTree(AUTHOR, injected("p:1"));
    const tree = changeTree(AUTHOR, injected("p:2"));
    const { first, sent, second } = exchange(before, tree);
    expect(JSON.stringify(sent)).not.toContain('"web"');
    const proxy = (nodes: typeof tree) => nodes[0]?.children[0]?.children[1];
    expect(proxy(first)?.children.map(({ label }) => label)).toEqual(["name", "image", "env"]);
    const now = proxy(second);
    expect(now?.children.map((child, at) => child === proxy(first)?.children[at])).toEqual([true, false, true]);
  });

  it("keep two nodes with one name apart", () => {
    const one = changeTree("", "a:\n  b: 1\na/b: 2\n");
    const other = changeTree("", "a:\n  b: 2\na/b: 2\n");
    expect(exchange(one, other)).toMatchObject({ first: one, second: other, again: other });
    expect(exchange(one, one).second).toEqual(one);
  });
});
