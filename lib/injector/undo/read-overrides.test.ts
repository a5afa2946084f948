import type { Pod } from "@outrigger/pod";
import { describe, expect, it } from "vitest";
import { readOverrides } from "./read-overrides.ts";

const key = "proxy.istio.io/overrides";
const podWith = (text: string): Pod => ({ metadata: { annotations: { [key]: text } }, spec: { containers: [] } });

describe("readOverrides()", () => {
  it("reads what an injection wrote, and nothing if there is no annotation", () => {
    const containers = [{ name: "istio-proxy", args: ["x"] }];
    expect(readOverrides(podWith(JSON.stringify({ containers }))).containers).toEqual(containers);
    expect(readOverrides({ spec: { containers: [] } })).toEqual({});
  });

  it.each([
    ["is not JSON", "{", "it is not JSON"],
    ["is a list", "[]", "it is not a JSON object"],
    ["holds no list", '{"containers":{}}', "containers is not a list"],
    ["holds an item without a name", '{"initContainers":[{}]}', "an item of initContainers has no name"],
    ["is a megabyte of nothing", "x".repeat(1_000_000), "it is not JSON"],
  ])("names the annotation and the way out when it %s", (_, text, problem) => {
    const read = () => readOverrides(podWith(text));
    expect(read).toThrow(`Cannot read annotation ${key}: ${problem}; remove it, injection writes it`);
    expect(read).toThrow(
      expect.objectContaining({ code: "annotation-invalid", path: `metadata.annotations["${key}"]` }),
    );
  });
});
