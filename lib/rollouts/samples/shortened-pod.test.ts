import type { Pod } from "@outrigger/pod";
import { expect, it } from "vitest";
import { shortenedPod } from "./shortened-pod.ts";

const pod: Pod = {
  metadata: { labels: { app: "web" }, annotations: { needed: "x".repeat(50), other: "y".repeat(60) } },
  spec: {
    containers: [
      {
        name: "web",
        image: "web:1",
        env: [
          { name: "LONG", value: "z".repeat(40) },
          { name: "SHORT", value: "s" },
        ],
      },
    ],
  },
};

it("shortenedPod() leaves out the largest parts that are not needed, until the pod is small", () => {
  const isNeeded = ({ metadata, spec }: Pod) =>
    metadata?.annotations?.["needed"] !== undefined && spec?.containers.length === 1;
  const size = (each: Pod) => JSON.stringify(each).length;
  const short = shortenedPod(pod, (each) => size(each) < 220, isNeeded);
  expect(short).toEqual({
    ...pod,
    metadata: { labels: { app: "web" }, annotations: { needed: "x".repeat(50) } },
    spec: { containers: [{ name: "web", image: "web:1", env: [{ name: "SHORT", value: "s" }] }] },
  });
  expect(shortenedPod(pod, () => true, isNeeded)).toBe(pod);
  expect(shortenedPod(pod, () => false, isNeeded)).toEqual({
    metadata: { annotations: { needed: "x".repeat(50) } },
    spec: { containers: [{ name: "web", image: "web:1" }] },
  });
});
