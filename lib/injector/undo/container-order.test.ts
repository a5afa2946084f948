import type { Container, Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { orderNotes, withNotedOrder } from "./container-order.ts";

const listOf = (names: string): readonly Container[] => names.split(" ").map((name) => ({ name, image: "app" }));
const podOf = (containers: string, initContainers?: string): Pod => ({
  spec: {
    containers: listOf(containers),
    ...(initContainers !== undefined && { initContainers: listOf(initContainers) }),
  },
});
const namesOf = ({ spec }: Pod) =>
  [spec?.containers, spec?.initContainers].map((list) => list?.map(({ name }) => name).join(" "));

describe("orderNotes()", () => {
  it("is empty where the author's containers keep their order, whatever is between them", () => {
    expect(orderNotes(podOf("x a y b z", "i c d"), podOf("a b", "c d"))).toEqual([]);
    expect(orderNotes(podOf("a b istio-proxy"), podOf("istio-proxy a b"))).toEqual([]);
    expect(orderNotes(podOf("x a"), podOf("a"))).toEqual([]);
    expect(orderNotes(podOf("c"), podOf("a b c"))).toEqual([]);
    expect(orderNotes(podOf("a x c"), podOf("a b c"))).toEqual([]);
    expect(orderNotes({}, {})).toEqual([]);
  });

  it("is empty where a template deleted containers: the next injection does not find them", () => {
    expect(orderNotes(podOf("a x c"), podOf("a b c"))).toEqual([]);
  });

  it("names the author's containers of a list whose order has changed, and none that are gone", () => {
    expect(orderNotes(podOf("b x a"), podOf("a b"))).toEqual(["order/containers/a,b"]);
    expect(orderNotes(podOf("a", "d x c"), podOf("a", "c d"))).toEqual(["order/initContainers/c,d"]);
    expect(orderNotes(podOf("c a"), podOf("a b istio-proxy c"))).toEqual(["order/containers/a,c"]);
    expect(orderNotes(podOf("b a c x d"), podOf("a b c d"))).toEqual(["order/containers/a,b"]);
    expect(orderNotes(podOf("c a x b d"), podOf("a b c d"))).toEqual(["order/containers/a,b,c"]);
  });
});

describe("withNotedOrder()", () => {
  it("undoes what was noted, and leaves other containers where they are", () => {
    expect(
      namesOf(withNotedOrder(podOf("b x a", "d c"), ["order/containers/a,b", "order/initContainers/c,d"])),
    ).toEqual(["a x b", "c d"]);
  });

  it.each([
    ["names containers that are gone", "order/containers/a,gone,b", "a x b"],
    ["names one twice", "order/containers/a,a,b", "a x b"],
    ["is empty", "order/containers/", "b x a"],
    ["is another", "kept/volumes/a", "b x a"],
  ])("takes a note that %s", (_what, note, containers) => {
    expect(namesOf(withNotedOrder(podOf("b x a"), [note]))[0]).toBe(containers);
  });

  it("leaves a list in which a name is twice", () => {
    const twice = podOf("b a b");
    expect(withNotedOrder(twice, ["order/containers/a,b"]).spec?.containers).toEqual(twice.spec?.containers);
  });
});
