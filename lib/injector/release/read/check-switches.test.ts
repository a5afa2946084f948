import { describe, expect, it } from "vitest";
import { checkSwitches } from "./check-switches.ts";

describe("checkSwitches()", () => {
  it.each([
    {},
    { global: null },
    { global: { logAsJson: true, proxy: { privileged: false, startupProbe: { enabled: null } } } },
    { global: { proxy: { capNetBindService: "true" }, proxy_init: { forceApplyIptables: "true" } } },
  ])("takes %j", (values) => {
    expect(() => checkSwitches({ path: "values/x", text: JSON.stringify(values), value: values })).not.toThrow();
  });

  it.each(["false", "true", "", 0, 1, {}])("refuses a switch that is %j", (enabled) => {
    const value = { pilot: { cni: { enabled } } };
    expect(() => checkSwitches({ path: "values/x", text: JSON.stringify(value), value })).toThrow(
      expect.objectContaining({
        code: "values-invalid",
        path: "values/x",
        message: expect.stringContaining("pilot.cni.enabled"),
      }),
    );
  });
});
