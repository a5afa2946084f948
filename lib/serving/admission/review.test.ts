import { describe, expect, it } from "vitest";
import { decodeReview, encodeAllowed, encodeDenied } from "./review.ts";

const UID = "705ab4f5-6393-11e8-b7cc-42010a800002";
const AUDIT = { decision: "injected", release: "r1" };
const V1 = { apiVersion: "admission.k8s.io/v1", uid: UID };

function reviewOf(request: unknown, apiVersion = "admission.k8s.io/v1"): string {
  return JSON.stringify({ apiVersion, kind: "AdmissionReview", request });
}

describe("decodeReview()", () => {
  it.each(["admission.k8s.io/v1", "admission.k8s.io/v1beta1"])(
    "reads what is needed when a review is of %s",
    (apiVersion) => {
      const object = { kind: "Pod", metadata: { name: "web" }, spec: { containers: [] } };
      expect(
        decodeReview(reviewOf({ uid: UID, namespace: "shop", kind: { kind: "Pod" }, object }, apiVersion)),
      ).toEqual({
        apiVersion,
        uid: UID,
        namespace: "shop",
        name: "web",
        pod: object,
      });
    },
  );

  it("names a pod by its prefix when its name is generated", () => {
    expect(decodeReview(reviewOf({ uid: UID, object: { metadata: { generateName: "web-7d9f-" } } })).name).toBe(
      "web-7d9f-*",
    );
  });

  it.each([
    ["", "not JSON"],
    ["{", "not JSON"],
    ["\u0000", "not JSON"],
    ["null", "not an AdmissionReview"],
    ["[]", "not an AdmissionReview"],
    ['"AdmissionReview"', "not an AdmissionReview"],
    ["{}", "not an AdmissionReview"],
    [JSON.stringify({ kind: "Pod", apiVersion: "v1" }), "not an AdmissionReview"],
    [reviewOf({ uid: UID, object: {} }, "admission.k8s.io/v2"), "not an AdmissionReview"],
    [reviewOf(undefined), "has no request"],
    [reviewOf(null), "has no request"],
    [reviewOf([]), "has no request"],
    [reviewOf({ object: {} }), "has no uid"],
    [reviewOf({ uid: "", object: {} }), "has no uid"],
    [reviewOf({ uid: 7, object: {} }), "has no uid"],
    [reviewOf({ uid: UID }), "not a Pod"],
    [reviewOf({ uid: UID, object: null }), "not a Pod"],
    [reviewOf({ uid: UID, object: "Pod" }), "not a Pod"],
    [reviewOf({ uid: UID, object: [{}] }), "not a Pod"],
    [reviewOf({ uid: UID, object: { kind: "Deployment" } }), "not a Pod"],
    [reviewOf({ uid: UID, kind: { kind: "Binding" }, object: {} }), "not a Pod"],
  ])("refuses %s when it is no review of a pod", (text, message) => {
    expect(() => decodeReview(text)).toThrow(
      expect.objectContaining({ code: "review-invalid", message: expect.stringContaining(message) }),
    );
  });

  it("leaves out who set which field, which is another time for each replica", () => {
    const metadata = { name: "web", managedFields: [{ manager: "kubectl", time: "2026-01-01T00:00:00Z" }] };
    const object = { kind: "Pod", metadata };
    expect(decodeReview(reviewOf({ uid: UID, object })).pod).toEqual({ kind: "Pod", metadata: { name: "web" } });
  });

  it("quotes nothing of the text when it is not JSON", () => {
    expect(() => decodeReview('{"password": hunter2}')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("hunter2") }),
    );
  });

  it("refuses a pod in bounded stack when it is nested too deeply", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const text = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","object":{"spec":${deep}}}}`;
    expect(() => decodeReview(text)).toThrow(
      expect.objectContaining({ code: "review-invalid", path: "request.object" }),
    );
  });
});

describe("encodeAllowed()", () => {
  it.each(["é🛶".repeat(3), "é".repeat(21_845), "é🛶".repeat(20_000), "[]"])(
    "sends the whole patch and nothing of another one, however long it is",
    (text) => {
      const { patch } = JSON.parse(encodeAllowed(V1, text, AUDIT, [])).response;
      expect(Buffer.from(patch, "base64").toString("utf8")).toBe(text);
    },
  );

  it("gives patch and patchType together when there is a patch", () => {
    const { response } = JSON.parse(encodeAllowed(V1, '[{"op":"add"}]', AUDIT, []));
    expect(response).toEqual({
      uid: UID,
      allowed: true,
      patchType: "JSONPatch",
      patch: "W3sib3AiOiJhZGQifV0=",
      auditAnnotations: AUDIT,
    });
  });

  it("gives neither when there is none", () => {
    expect(JSON.parse(encodeAllowed(V1, undefined, AUDIT, [])).response).toEqual({
      uid: UID,
      allowed: true,
      auditAnnotations: AUDIT,
    });
  });

  it("cuts a warning to 120 characters, never through one of them, when it is longer", () => {
    const { response } = JSON.parse(encodeAllowed(V1, undefined, AUDIT, ["short", "🛶".repeat(121)]));
    expect(response.warnings).toEqual(["short", `${"🛶".repeat(119)}…`]);
  });

  it("stays one JSON document when the uid is hostile", () => {
    const uid = '"},"allowed":true,"x":"\ud800\n';
    expect(
      JSON.parse(encodeDenied({ ...V1, uid }, { code: 422, reason: "Invalid", message: "m", path: undefined }, AUDIT))
        .response,
    ).toMatchObject({ uid, allowed: false });
  });
});

describe("encodeDenied()", () => {
  it("names the field in a cause when the error has one", () => {
    const denial = { code: 422, reason: "Invalid", message: "Cannot use it", path: "metadata.annotations[x]" };
    const { response } = JSON.parse(
      encodeDenied(V1, denial, { decision: "denied", reason: "annotation-invalid", release: "r1" }),
    );
    expect(response).toMatchObject({
      uid: UID,
      allowed: false,
      status: {
        status: "Failure",
        code: 422,
        reason: "Invalid",
        message: "Cannot use it",
        details: { causes: [{ field: "metadata.annotations[x]", message: "Cannot use it" }] },
      },
    });
    expect(Object.keys(response)).not.toContain("patchType");
  });

  it("answers in the version it was asked in", () => {
    const denial = { code: 422, reason: "Invalid", message: "m", path: undefined };
    expect(JSON.parse(encodeDenied({ ...V1, apiVersion: "admission.k8s.io/v1beta1" }, denial, AUDIT)).apiVersion).toBe(
      "admission.k8s.io/v1beta1",
    );
  });
});
