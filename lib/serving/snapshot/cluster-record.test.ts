import type { JsonValue } from "@outrigger/base";
import { describe, expect, it } from "vitest";
import { parseClusterRecord } from "./cluster-record.ts";

const TOKEN = { sha256: "a".repeat(64), created: "2026-01-02T03:04:05Z" };
const RECORD = { revisions: { default: "stable" }, arn: "arn:aws:eks:x", tokens: [TOKEN] };
const PLACE = "/outrigger/dev/clusters/east";

describe("parseClusterRecord()", () => {
  it.each<[string, JsonValue]>([
    ["is all there", { ...RECORD, network: "n", kubernetesVersion: "1.33", nativeSidecars: false }],
    ["has what it must", RECORD],
    ["has settings", { ...RECORD, settings: { default: { phase: "enforce" } } }],
    ["has no token yet", { ...RECORD, tokens: [] }],
    ["has two tokens and many revisions", { ...RECORD, revisions: { a: "x", "b-1": "y" }, tokens: [TOKEN, TOKEN] }],
  ])("gives the record back when it %s", (_what, record) => {
    expect(parseClusterRecord(record, PLACE)).toEqual(record);
  });

  it("takes a record without an arn", () => {
    const { arn: _, ...record } = RECORD;
    expect(parseClusterRecord(record, PLACE)).toEqual({ ...record, arn: "" });
  });

  it.each<[JsonValue, string]>([
    ["east", PLACE],
    [[RECORD], PLACE],
    [{ ...RECORD, tokens: undefined }, `"tokens" of ${PLACE}`],
    [{ ...RECORD, token: TOKEN }, `"token" of ${PLACE}`],
    [{ ...RECORD, revisions: {} }, `"revisions" of ${PLACE}`],
    [{ ...RECORD, revisions: { Default: "stable" } }, `"revisions" of ${PLACE}`],
    [{ ...RECORD, revisions: { default: "Stable!" } }, `"revisions" of ${PLACE}`],
    [{ ...RECORD, revisions: { default: 1 } }, `"revisions" of ${PLACE}`],
    [{ ...RECORD, tokens: [TOKEN, TOKEN, TOKEN] }, `"tokens" of ${PLACE}`],
    [{ ...RECORD, tokens: [{ ...TOKEN, sha256: "A".repeat(64) }] }, `"tokens[0].sha256" of ${PLACE}`],
    [{ ...RECORD, tokens: [TOKEN, { sha256: "a", created: "" }] }, `"tokens[1].sha256" of ${PLACE}`],
    [{ ...RECORD, tokens: [null] }, `"tokens[0].sha256" of ${PLACE}`],
    [{ ...RECORD, tokens: [{ sha256: TOKEN.sha256 }] }, `"tokens[0].created" of ${PLACE}`],
    [{ ...RECORD, arn: 1 }, `"arn" of ${PLACE}`],
    [{ ...RECORD, network: null }, `"network" of ${PLACE}`],
    [{ ...RECORD, kubernetesVersion: "v1.33" }, `"kubernetesVersion" of ${PLACE}`],
    [{ ...RECORD, kubernetesVersion: 1.33 }, `"kubernetesVersion" of ${PLACE}`],
    [{ ...RECORD, settings: [] }, `"settings" of ${PLACE}`],
    [{ ...RECORD, settings: { default: "audit" } }, `"settings" of ${PLACE}`],
    [{ ...RECORD, nativeSidecars: "yes" }, `"nativeSidecars" of ${PLACE}`],
  ])("names place and field when a record is %j", (record, what) => {
    expect(() => parseClusterRecord(record, PLACE)).toThrow(
      expect.objectContaining({
        code: "cluster-invalid",
        path: PLACE,
        message: expect.stringMatching(/^Cannot use .*; register the cluster again$/),
      }),
    );
    expect(() => parseClusterRecord(record, PLACE)).toThrow(`Cannot use ${what}: `);
  });

  it("says nothing of a token's digest when it is wrong", () => {
    const record = { ...RECORD, tokens: [{ sha256: "the-token-itself", created: "" }] };
    expect(() => parseClusterRecord(record, PLACE)).not.toThrow("the-token-itself");
  });
});
