import { expect, it } from "vitest";
import { changedFields, changeKey, fieldChanges } from "./change-counts.ts";
import { changeTree } from "./change-tree.ts";

const POD = (memory: string, more = "") => `metadata:
  annotations:
    a.example/b: ${memory}
    sidecar.istio.io/status: ${memory}
spec:
  initContainers:
  - name: istio-init
    resources: {limits: {memory: ${memory} } }
  containers:
  - name: istio-proxy
    resources: {limits: {memory: ${memory} } }
${more}`;

it("fieldChanges() names each container that changes, and the record of the injection only where nothing else does", () => {
  const between = (before: string, after: string) =>
    fieldChanges(changedFields(changeTree(before, after)).map(changeKey)).map(
      ({ name, change, before: was, text }) => `${change} ${name} ${was}>${text}`,
    );
  expect(between(POD("1Gi"), POD("2Gi", "  - name: other\n"))).toEqual([
    "changed istio-init › resources › limits › memory 1Gi>2Gi",
    "changed istio-proxy › resources › limits › memory 1Gi>2Gi",
    "added other >{name: other}",
    "changed metadata › annotations › a.example/b 1Gi>2Gi",
  ]);
  expect(between(POD("1Gi", "  - name: other\n"), POD("1Gi"))).toEqual(["removed other >{name: other}"]);
  const record = (text: string) => `metadata: {annotations: {sidecar.istio.io/status: ${text}} }`;
  expect(between(record("a"), record("b"))).toEqual(["changed metadata › annotations › sidecar.istio.io/status a>b"]);
});
