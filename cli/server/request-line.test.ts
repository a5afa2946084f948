import { execFileSync } from "node:child_process";
import { OutriggerError } from "@outrigger/base";
import type { AdmissionRecord } from "@outrigger/serving";
import { describe, expect, it } from "vitest";
import { curlLine, formatRequestLine } from "./request-line.ts";

const TIME = new Date(2026, 0, 2, 3, 4, 5);
const RECORD: AdmissionRecord = {
  uid: "u",
  cluster: "",
  namespace: "shop",
  name: "web-7d9f-*",
  decision: "injected",
  status: 200,
  release: "r1",
  templates: ["sidecar"],
  milliseconds: 1.234,
};

describe("formatRequestLine()", () => {
  it("prints time, pod, decision, templates and milliseconds when a pod is injected", () => {
    expect(formatRequestLine(RECORD, TIME).split(/ {2,}/)).toEqual([
      "03:04:05",
      "shop/web-7d9f-*",
      "injected",
      "sidecar",
      "1.2 ms",
    ]);
  });

  it("prints the reason when a pod is skipped", () => {
    const { templates: _templates, ...record } = RECORD;
    expect(formatRequestLine({ ...record, decision: "skipped", reason: "opted-out" }, TIME)).toContain(
      "skipped   opted-out",
    );
  });

  it("prints what went wrong, on a line below, when something did", () => {
    const error = new OutriggerError("template-render", "Cannot render it");
    const line = formatRequestLine({ ...RECORD, decision: "failed", status: 500, error }, TIME);
    expect(line).toMatch(/ HTTP 500\n +Cannot render it$/);
  });

  it("lets no name steer the terminal when it holds control characters", () => {
    const line = formatRequestLine({ ...RECORD, namespace: "\u001b[2J", name: "a\u0000b\u009bc\r" }, TIME);
    expect(line).toContain("?[2J/a?b?c?");
  });
});

describe("curlLine()", () => {
  it.each([
    ["the patch", { patch: Buffer.from("[1]").toString("base64") }, "[1]\n"],
    ["that nothing is added, where the answer has no patch", {}, "nothing is added to this pod\n"],
  ])("prints %s", (_, response, printed) => {
    const [, decode = ""] = /\| node -p '(.*)'$/.exec(curlLine("x")) ?? [];
    const input = JSON.stringify({ response });
    expect(execFileSync(process.execPath, ["-p", decode], { input, encoding: "utf8" })).toBe(printed);
  });
});
