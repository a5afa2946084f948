import { expect, it } from "vitest";
import { changeCounts } from "./change-counts.ts";
import { type ChangeNode, changeTree } from "./change-tree.ts";

const BEFORE = `metadata:
  labels:
    app: web
  name: web
spec:
  containers:
  - image: web:1
    livenessProbe:
      tcpSocket:
        port: 8080
    name: web
  nodeName: a
`;

const AFTER = `metadata:
  annotations:
    istio.io/rev: default
  labels:
    app: web
    mesh: "yes"
  name: web
spec:
  containers:
  - image: web:1
    livenessProbe:
      httpGet:
        port: 15020
    name: web
  initContainers:
  - args:
    - proxy
    image: proxyv2:1
    name: istio-proxy
`;

/** `change id = text @line`, without what is kept. */
function said(nodes: readonly ChangeNode[]): readonly string[] {
  return nodes.flatMap(({ id, change, text, before, line, children }) => {
    if (change === "kept") return [];
    const was = before === undefined ? "" : ` (was ${before})`;
    return [`${change} ${id} = ${change === "within" ? "…" : text}${was} @${line ?? "-"}`, ...said(children)];
  });
}

it("changeTree() matches list items by name, puts containers first, and knows each field's line", () => {
  expect(said(changeTree(BEFORE, AFTER))).toEqual([
    "within spec = … @8",
    "added spec/initContainers = [{args: [proxy], image: proxyv2:1, name: istio-proxy}] @15",
    "added spec/initContainers/istio-proxy = {args: [proxy], image: proxyv2:1, name: istio-proxy} @16",
    "added spec/initContainers/istio-proxy/args = [proxy] @16",
    "added spec/initContainers/istio-proxy/args/proxy = proxy @17",
    "added spec/initContainers/istio-proxy/image = proxyv2:1 @18",
    "added spec/initContainers/istio-proxy/name = istio-proxy @19",
    "within spec/containers = … @9",
    "within spec/containers/web = … @10",
    "within spec/containers/web/livenessProbe = … @11",
    "added spec/containers/web/livenessProbe/httpGet = {port: 15020} @12",
    "added spec/containers/web/livenessProbe/httpGet/port = 15020 @13",
    "removed spec/containers/web/livenessProbe/tcpSocket- = {port: 8080} @-",
    "removed spec/containers/web/livenessProbe/tcpSocket-/port- = 8080 @-",
    "removed spec/nodeName- = a @-",
    "within metadata = … @1",
    "added metadata/annotations = {istio.io/rev: default} @2",
    "added metadata/annotations/istio.io/rev = default @3",
    "within metadata/labels = … @4",
    "added metadata/labels/mesh = yes @6",
  ]);
});

it("changeTree() says what a value was, and keeps items of the same name apart", () => {
  const list = (...values: readonly string[]) =>
    `a:\n${values.map((value) => `- name: x\n  value: ${value}\n`).join("")}`;
  expect(said(changeTree(list("1", "2"), list("1", "3")))).toEqual([
    "within a = … @1",
    "within a/x#2 = … @4",
    "changed a/x#2/value = 3 (was 2) @5",
  ]);
  expect(said(changeTree("a: 1\n", "a: {b: 1}\n"))).toEqual(["changed a = {b: 1} (was 1) @1"]);
  expect(changeTree("# nothing is injected\n", "a: 1\n").map(({ change }) => change)).toEqual(["added"]);
});

it.each([
  ["a value", AFTER.replace("proxyv2:1", "proxyv2:2")],
  ["the lines of what follows", AFTER.replace("mesh:", "other: 1\n    mesh:")],
  ["the type of a field", AFTER.replace("    - proxy\n", "      a: b\n")],
  ["nothing", AFTER],
  ["everything", "a: 1\n"],
])("changeTree() makes what it made of the first texts, after others, where %s differs", (_, after) => {
  changeTree("", "");
  const whole = changeTree(BEFORE, after);
  changeTree("", "");
  changeTree(BEFORE, AFTER);
  expect(changeTree(BEFORE, after)).toEqual(whole);
  expect(changeTree(AFTER, after)).not.toEqual(whole);
  expect(changeTree(BEFORE, after)).toEqual(whole);
});

it("changeTree() gives the same objects for what is as in the tree before", () => {
  const child = (nodes: readonly ChangeNode[], id: string) => nodes.find((node) => node.id === id);
  const before = changeTree(BEFORE, AFTER);
  const tree = changeTree(BEFORE, AFTER.replace("proxyv2:1", "proxyv2:2"));
  expect(child(tree, "metadata")).toBe(child(before, "metadata"));
  const [spec, now] = [before, tree].map((nodes) => child(nodes, "spec")?.children ?? []) as [
    ChangeNode[],
    ChangeNode[],
  ];
  expect(child(now, "spec/containers")).toBe(child(spec, "spec/containers"));
  expect(child(now, "spec/initContainers")).not.toBe(child(spec, "spec/initContainers"));
});

it("changeCounts() names containers, and counts the entries of other fields", () => {
  const said = changeCounts(changeTree(BEFORE, AFTER)).map(({ what, isContainer, counts }) => {
    const { added, changed, removed } = counts;
    return `${isContainer ? "container " : ""}${what} +${added} ~${changed} -${removed}`;
  });
  expect(said).toEqual([
    "container istio-proxy +1 ~0 -0",
    "container web +0 ~1 -0",
    "nodeName +0 ~0 -1",
    "annotations +1 ~0 -0",
    "labels +1 ~0 -0",
  ]);
});
