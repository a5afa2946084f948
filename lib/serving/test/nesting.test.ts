import { describe, expect, it } from "vitest";
import { decodeReview, MAX_NESTING } from "../admission/review.ts";

const lists = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

const reviewOf = (spec: string): string =>
  `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","object":{"spec":${spec}}}}`;

describe("decodeReview()", () => {
  it("takes a pod when it is as deep as allowed", () => {
    expect(() => decodeReview(reviewOf(lists(MAX_NESTING - 1)))).not.toThrow();
    expect(() => decodeReview(reviewOf(objects(MAX_NESTING - 1)))).not.toThrow();
  });

  it.each([MAX_NESTING, 100_000])(
    "refuses a pod without overflowing when a field of it is %d levels deep",
    (levels) => {
      const tooDeep = expect.objectContaining({ code: "review-invalid", path: "request.object" });
      expect(() => decodeReview(reviewOf(lists(levels)))).toThrow(tooDeep);
      expect(() => decodeReview(reviewOf(objects(levels)))).toThrow(tooDeep);
    },
  );
});
